-- Textbook token bucket in two steps: HGET the number of tokens, HSET one less.
-- rlctl: args     = capacity
-- rlctl: reply    = allowed
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = client
-- rlctl: cost     = O(1)
-- rlctl: state    = hash: tokens; the tokens left, which are never refilled
-- rlctl: flaw     = never refills, so a client is refused for ever after its first tokens; clients that read the same number take the same token
--
-- Specimen 5c: key bucket:user:<id>, with 10 tokens if the hash has none. It has no TTL either.

local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[1])
if tokens <= 0 then return 0 end
redis.call('HSET', KEYS[1], 'tokens', tokens - 1)
return 1
