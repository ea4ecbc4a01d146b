# What the limiters of limits have counted in Redis, by their own API. Usage:
#   python3 counted.py NAME REDIS_SOCKET REQUESTS
# Sends so many requests of the client u1, with a limit of 10 per hour, and prints an object with
# what the API then says. With 0 requests it only asks.
import json
import sys

from limits import RateLimitItemPerHour
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter

STRATEGIES = {'limits-fixed-window': FixedWindowRateLimiter,
              'limits-moving-window': MovingWindowRateLimiter}

name, socket, requests = sys.argv[1:]
storage = RedisStorage('redis+unix://' + socket)
limiter = STRATEGIES[name](storage)
limit = RateLimitItemPerHour(10)
for _ in range(int(requests)):
    limiter.hit(limit, 'u1')
print(json.dumps({'left': limiter.get_window_stats(limit, 'u1')[1]}))
