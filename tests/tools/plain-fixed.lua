-- Fixed window in its shortest form: INCR, and PEXPIRE on the first hit.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window first-hit
-- rlctl: run      = server
-- rlctl: clock    = expiry
-- rlctl: cost     = O(1)
--
-- For comparing clients: with a longer script, the server's cost would hide theirs.

local used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return used <= tonumber(ARGV[1]) and 1 or 0
