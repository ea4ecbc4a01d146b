-- An exact sliding log on the time that its client gives it, in ms.
-- rlctl: args     = limit, window_ms, now_ms, uuid
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window
-- rlctl: clock    = argument
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
