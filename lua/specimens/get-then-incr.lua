-- Seller quota, naive: GET, then SET (for a fresh key), INCR and EXPIRE in a transaction.
-- rlctl: args     = limit, ttl_s
-- rlctl: reply    = allowed
-- rlctl: run      = client
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; admissions since the last pause as long as the TTL
-- rlctl: used     = count
-- rlctl: flaw     = admits one too many even without a race (> instead of >=); all clients that read before one of them writes pass; a late SET erases what others counted
--
-- Specimen 4a: key <prefix>:<seller>:ApiCounter, 100 items a minute, 16 consumers.

local limit, ttl_s = tonumber(ARGV[1]), ARGV[2]

local value = redis.call('GET', KEYS[1])
if tonumber(value or 0) > limit then return 0 end
redis.call('MULTI')
if not value then redis.call('SET', KEYS[1], '0', 'EX', ttl_s) end
redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ttl_s)
redis.call('EXEC')
return 1
