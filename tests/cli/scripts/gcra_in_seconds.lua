-- GCRA in fractions of a second: Redis keeps 14 digits of the number, so each step is rounded.
-- rlctl: args      = limit, window_s
-- rlctl: reply     = allowed
-- rlctl: contract  = bucket limit + limit/window
-- rlctl: clock     = redis
-- rlctl: tolerance = 1ms
local time = redis.call('TIME')
local now = time[1] - 1600000000 + time[2] / 1000000
local interval = ARGV[2] / ARGV[1]
local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + interval
if arrival - now > tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], arrival, 'EX', math.ceil(arrival - now))
return 1
