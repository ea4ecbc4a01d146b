-- Sliding log from the application, in three steps: ZREMRANGEBYSCORE, ZCARD, and ZADD when there is room.
-- rlctl: args     = limit, window_ms, now_ms, uuid
-- rlctl: reply    = allowed
-- rlctl: contract = sliding
-- rlctl: run      = client
-- rlctl: clock    = argument
-- rlctl: cost     = O(log n)
-- rlctl: state    = zset: at_ms; the ms of each admission, newest last
-- rlctl: used     = live
-- rlctl: flaw     = all who read "below the limit" before one adds are admitted
--
-- Specimen 6b.

local limit, window_ms, now_ms, member = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - window_ms)
if redis.call('ZCARD', KEYS[1]) >= limit then return 0 end
redis.call('ZADD', KEYS[1], now_ms, member)
return 1
