-- Fixed window with one key per window of the client's clock: INCR and EXPIRE in one script.
-- rlctl: keys     = <key>:<window_number>
-- rlctl: args     = ttl_s
-- rlctl: reply    = allowed = reply <= limit, count = reply
-- rlctl: contract = limit/window fixed
-- rlctl: run      = server
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; requests, admitted or denied, in the key's window
-- rlctl: used     = count
-- rlctl: flaw     = admits twice the limit around a window's edge, as a Black Friday test at 00:59 and 01:00 showed
--
-- Specimen 6a, 100 a minute. A window of 10 s does not help: it still admits twice its limit, and
-- honest clients are refused.

local count = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return count
