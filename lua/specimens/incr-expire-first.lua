-- Counter with a TTL, in two steps: INCR, then EXPIRE only at the first hit.
-- rlctl: args          = ttl_s
-- rlctl: reply         = allowed = reply <= limit, count = reply
-- rlctl: contract      = limit/window first-hit
-- rlctl: run           = client
-- rlctl: cost          = O(1)
-- rlctl: state         = string: count; requests, admitted or denied, since the window's first hit
-- rlctl: used          = count
-- rlctl: flaw          = a process that dies between the steps leaves a counter without a TTL, which blocks the client for ever; admits twice the limit around a window's end
--
-- Specimen 2 as it is usually written: only the first hit calls EXPIRE, so if it fails to, nothing
-- ever repairs that.

local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count
