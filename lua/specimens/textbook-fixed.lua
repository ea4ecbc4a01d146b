-- Textbook fixed window with one key per window, in two steps: INCR, then EXPIRE.
-- rlctl: keys     = <key>:<window_number>
-- rlctl: args     = ttl_s
-- rlctl: reply    = allowed = reply <= limit, count = reply
-- rlctl: contract = limit/window fixed
-- rlctl: run      = client
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; requests, admitted or denied, in the key's window
-- rlctl: used     = count
-- rlctl: flaw     = admits twice the limit around a window's edge; a process that dies between the steps leaves a key without a TTL
--
-- Specimen 5a: key rate:user:<id>:<window_number>. A key without a TTL blocks nobody, because its
-- window passes, but it wastes memory.

local count = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return count
