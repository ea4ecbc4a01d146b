-- Counter with a TTL, in two steps: INCR, then EXPIRE, at every request.
-- rlctl: args          = ttl_s
-- rlctl: reply         = allowed = reply <= limit, count = reply
-- rlctl: run           = client
-- rlctl: cost          = O(1)
-- rlctl: state         = string: count; requests, admitted or denied, since the key last expired
-- rlctl: used          = count
-- rlctl: flaw          = every request renews the TTL, also a denied one, so a client that keeps asking is never admitted again; a process that dies between the steps leaves no TTL
--
-- Specimen 2, the counter that ip-block-flag replaced. It is said to leave no TTL and block for
-- ever, but that lasts only until the next request, whose EXPIRE gives the key its TTL back;
-- incr-expire-first is the form for which it is true. This form blocks a client for ever without
-- any crash, if the client never pauses for a whole window.

local count = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return count
