-- Textbook sliding log in one script: ZADD, ZREMRANGEBYSCORE, ZCARD as one step.
-- rlctl: args          = window_ms, now_ms
-- rlctl: reply         = allowed = reply <= limit, count = reply
-- rlctl: contract      = limit/window, denied count
-- rlctl: run           = server
-- rlctl: clock         = argument
-- rlctl: cost          = O(log n)
-- rlctl: state         = zset: at_ms; the time in ms of each request, admitted or denied, newest last
-- rlctl: used          = live
-- rlctl: flaw          = requests in the same ms become one entry and all pass; denied requests count; no TTL
--
-- Specimen 5b as one script: only its race is repaired.

local window_ms, now_ms = tonumber(ARGV[1]), ARGV[2]

redis.call('ZADD', KEYS[1], now_ms, now_ms)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '0', now_ms - window_ms)
return redis.call('ZCARD', KEYS[1])
