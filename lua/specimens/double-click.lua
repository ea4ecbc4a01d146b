-- Guard against a double click on a button that costs money: GET, then INCR in a transaction.
-- rlctl: args     = '2', ttl_s
-- rlctl: reply    = allowed
-- rlctl: run      = client
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; admissions since the last pause as long as the TTL
-- rlctl: used     = count
-- rlctl: flaw     = it allows 2 clicks where only one should pass, so both pass without any race; three clicks at one instant exceed even the 2
--
-- Specimen 3: key <prefix>:<user>:ApiCounter, to be judged against 1 per 5 s. Each admission renews
-- the TTL.

local most, ttl_s = tonumber(ARGV[1]), ARGV[2]

local count = tonumber(redis.call('GET', KEYS[1]) or 0)
if count >= most then return 0 end
redis.call('MULTI')
redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ttl_s)
redis.call('EXEC')
return 1
