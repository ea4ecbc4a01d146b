-- Counter with a TTL, in two steps: INCR, then EXPIRE when it was the first hit.
-- rlctl: args          = ttl_s
-- rlctl: reply         = allowed = reply <= limit, count = reply
-- rlctl: contract      = anchored
-- rlctl: run           = client
-- rlctl: cost          = O(1)
-- rlctl: state         = string: count; requests, admitted or denied, since the window's first hit
-- rlctl: used          = count
-- rlctl: flaw          = a process that dies between the steps leaves a counter without TTL: blocked for ever; twice the limit around a window's end
--
-- Specimen 2 as it is mostly written: EXPIRE by the first hit alone, so that nothing ever repairs what that one missed.

local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count
