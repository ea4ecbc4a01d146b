-- Sliding log in the application, in three steps: ZREMRANGEBYSCORE, ZCARD, and ZADD if there is
-- room.
-- rlctl: args     = limit, window_ms, now_ms, uuid
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window
-- rlctl: run      = client
-- rlctl: clock    = argument
-- rlctl: cost     = O(log n)
-- rlctl: state    = zset: at_ms; the time of each admission in ms, newest last
-- rlctl: used     = live
-- rlctl: flaw     = all clients that read a count below the limit before one of them adds are admitted
--
-- Specimen 6b.

local limit, window_ms, now_ms, member = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - window_ms)
if redis.call('ZCARD', KEYS[1]) >= limit then return 0 end
redis.call('ZADD', KEYS[1], now_ms, member)
return 1
