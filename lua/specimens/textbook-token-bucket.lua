-- Textbook token bucket in two steps: HGET the tokens, HSET one less.
-- rlctl: args     = capacity
-- rlctl: reply    = allowed
-- rlctl: contract = bucket
-- rlctl: run      = client
-- rlctl: cost     = O(1)
-- rlctl: state    = hash: tokens; what is left, for good
-- rlctl: flaw     = never refills: after its first tokens a client is refused for ever; who read the same number take the same token
--
-- Specimen 5c: key bucket:user:<id>, with 10 tokens where the hash has none. No TTL either.

local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[1])
if tokens <= 0 then return 0 end
redis.call('HSET', KEYS[1], 'tokens', tokens - 1)
return 1
