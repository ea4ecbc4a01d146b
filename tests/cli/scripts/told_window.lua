-- A window from the first hit on, on the time that its client gives it: it keeps its own end.
-- rlctl: args     = limit, window_ms, now_ms, expires_ms
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window first-hit
-- rlctl: clock    = argument
local count, ends = unpack(redis.call('HMGET', KEYS[1], 'count', 'ends'))
if not ends or tonumber(ends) <= tonumber(ARGV[3]) then count, ends = 0, ARGV[4] end
if tonumber(count) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'count', count + 1, 'ends', ends)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
