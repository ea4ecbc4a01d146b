-- Seller quota with optimistic locking, repaired: a client that loses the race for EXEC is refused.
-- rlctl: args     = limit, ttl_s
-- rlctl: reply    = allowed
-- rlctl: contract = limit/window first-hit
-- rlctl: run      = client
-- rlctl: clock    = expiry
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; admissions since the window's first
-- rlctl: used     = count
-- rlctl: flaw     = never over-admits, but under contention it refuses requests below the limit
--
-- Specimen 4b'. As published, a refusal leaves the key watched, so on the same connection the next
-- EXEC after the key's expiry fails too. (rlctl itself sends an UNWATCH at the end of every
-- decision.)

local limit, ttl_s = tonumber(ARGV[1]), ARGV[2]

redis.call('WATCH', KEYS[1])
local value = redis.call('GET', KEYS[1])
if tonumber(value or 0) >= limit then return 0 end
redis.call('MULTI')
redis.call('INCR', KEYS[1])
if not value then redis.call('EXPIRE', KEYS[1], ttl_s) end
return redis.call('EXEC') and 1 or 0
