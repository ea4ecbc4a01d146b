-- Sliding log in one script on the client's clock, with a unique member per admission.
-- rlctl: args     = limit, window_ms, now_ms, uuid, ttl_ms
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window
-- rlctl: run      = server
-- rlctl: clock    = argument
-- rlctl: cost     = O(log n)
-- rlctl: state    = zset: at_ms; the time of each admission in ms, newest last
-- rlctl: used     = live
-- rlctl: flaw     = sound on one clock, but memory grows with the limit, and if clocks differ, the client that is ahead removes the others' entries
--
-- Specimen 6d: key rate_limit:<user>; it replaced fixed-by-key. With client clocks 2 s apart it is
-- specimen 7c: over-admission.

local limit, window_ms, now_ms, member, ttl_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - window_ms)
if redis.call('ZCARD', KEYS[1]) >= limit then return 0 end
redis.call('ZADD', KEYS[1], now_ms, member)
redis.call('PEXPIRE', KEYS[1], ttl_ms)
return 1
