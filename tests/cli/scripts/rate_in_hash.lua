-- A window from the first hit on, whose rate is kept in Redis and has to be set before.
-- rlctl: setup    = rate_in_hash_setup.lua
-- rlctl: keys     = <key>, {<key>}:value, ''
-- rlctl: args     = window_ms, 'of:<key>'
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window first-hit
-- rlctl: clock    = expiry
-- rlctl: state    = hash: rate, setups
local rate = redis.call('HGET', KEYS[1], 'rate')
if not rate then return redis.error_reply('ERR the rate is not set') end
if KEYS[3] ~= '' or ARGV[2] ~= 'of:' .. KEYS[1] then return redis.error_reply('ERR other words') end
local count = redis.call('INCR', KEYS[2])
if count == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[1]) end
return count <= tonumber(rate)
