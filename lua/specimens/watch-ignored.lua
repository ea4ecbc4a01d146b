-- Seller quota with optimistic locking, as published: WATCH, GET, a transaction, and the answer of
-- EXEC is ignored.
-- rlctl: args     = limit, ttl_s
-- rlctl: reply    = allowed
-- rlctl: run      = client
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; admissions that EXEC counted since the last pause as long as the TTL
-- rlctl: used     = count
-- rlctl: flaw     = the lock protects the counter, but not the call, which is made before EXEC: clients that lose the race pass too and are not even counted
--
-- Specimen 4b. The call is made before EXEC, so the answer of EXEC can't change the decision.

local limit, ttl_s = tonumber(ARGV[1]), ARGV[2]

redis.call('WATCH', KEYS[1])
local value = redis.call('GET', KEYS[1])
if tonumber(value or 0) > limit then return 0 end
redis.call('MULTI')
if not value then redis.call('SET', KEYS[1], '0', 'EX', ttl_s) end
redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ttl_s)
redis.call('EXEC')
return 1
