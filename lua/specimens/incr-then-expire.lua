-- Counter with a TTL, in two steps: INCR, then EXPIRE, at every request.
-- rlctl: args          = ttl_s
-- rlctl: reply         = allowed = reply <= limit, count = reply
-- rlctl: contract      = none
-- rlctl: counts_denied = true
-- rlctl: run           = client
-- rlctl: cost          = O(1)
-- rlctl: state         = string: count; requests, admitted or denied, since the key was last gone
-- rlctl: used          = count
-- rlctl: flaw          = every request renews the TTL, denied ones too: who keeps asking never gets out; a process that dies in between leaves no TTL
--
-- Specimen 2, the counter that ip-block-flag replaced. What is told of it, "no TTL, blocked for ever", lasts only until
-- the next request, whose EXPIRE gives the key its TTL back: see incr-expire-first for the form in which it
-- is true. Blocked for ever is the client that does not pause for a whole window, without any crash.

local count = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return count
