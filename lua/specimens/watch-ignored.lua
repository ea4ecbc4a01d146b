-- Seller quota, optimistic, as published: WATCH, GET, a transaction, and nobody looks at what EXEC answers.
-- rlctl: args     = limit, ttl_s
-- rlctl: reply    = allowed
-- rlctl: contract = none
-- rlctl: run      = client
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; admissions that EXEC counted, without a pause as long as the TTL
-- rlctl: used     = count
-- rlctl: flaw     = the lock protects the counter, not the call, which has gone out before EXEC: all who lose pass too and are not even counted
--
-- Specimen 4b. The call proceeds before EXEC, so its answer can't change the decision.

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
