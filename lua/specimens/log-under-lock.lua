-- Sliding log in the application, step by step under a distributed lock.
-- rlctl: keys     = <key>, <key>:lock
-- rlctl: args     = limit, window_ms, now_ms, uuid, '1000', '500'
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window
-- rlctl: run      = client
-- rlctl: clock    = argument
-- rlctl: cost     = O(log n + waiting)
-- rlctl: state    = zset: at_ms; the time of each admission in ms, newest last
-- rlctl: used     = live
-- rlctl: flaw     = sound while nobody holds the lock longer than its TTL, but clients wait for each other: throughput collapses, and a client that waits too long is refused
--
-- Specimen 6c: SET NX PX 1000, tried up to 500 times, check-then-add, then compare-and-delete,
-- which must be a script.

local limit, window_ms, now_ms, token = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
local lock_ms, tries = ARGV[5], tonumber(ARGV[6])

local locked = false
for _ = 1, tries do
  locked = redis.call('SET', KEYS[2], token, 'NX', 'PX', lock_ms)
  if locked then break end
end
if not locked then return 0 end

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - window_ms)
local allowed = redis.call('ZCARD', KEYS[1]) < limit
if allowed then redis.call('ZADD', KEYS[1], now_ms, token) end

local release = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
redis.call('EVAL', release, 1, KEYS[2], token)
return allowed and 1 or 0
