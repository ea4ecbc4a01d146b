-- An exact sliding log that reads Redis's clock itself and does not report what it read.
-- rlctl: args     = limit, window_us, uuid
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window
-- rlctl: clock    = redis
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[2]))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[3])
redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[2] / 1000))
return 1
