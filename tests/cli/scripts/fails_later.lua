-- Works a hundred times on a key, then fails.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms
-- rlctl: reply    = allowed
-- rlctl: run      = server
-- rlctl: clock    = expiry
local used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if used > 100 then return redis.error_reply('ERR failed on purpose') end
return used <= tonumber(ARGV[1]) and 1 or 0
