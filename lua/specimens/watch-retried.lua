-- Seller quota with optimistic locking, repaired, with up to three retries if EXEC loses the race.
-- rlctl: args     = limit, ttl_s, '3'
-- rlctl: reply    = allowed, _
-- rlctl: contract = limit/window first-hit
-- rlctl: run      = client
-- rlctl: clock    = expiry
-- rlctl: cost     = O(1 + retries)
-- rlctl: state    = string: count; admissions since the window's first
-- rlctl: used     = count
-- rlctl: flaw     = never over-admits, but with more competing clients than tries it still refuses requests below the limit
--
-- Specimen 4b' with bounded retries. The second value of the reply is the number of retries.

local limit, ttl_s, retries = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])

for retry = 0, retries do
  redis.call('WATCH', KEYS[1])
  local value = redis.call('GET', KEYS[1])
  if tonumber(value or 0) >= limit then return {0, retry} end
  redis.call('MULTI')
  redis.call('INCR', KEYS[1])
  if not value then redis.call('EXPIRE', KEYS[1], ttl_s) end
  if redis.call('EXEC') then return {1, retry} end
end
return {0, retries}
