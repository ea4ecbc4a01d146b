-- Seller quota in one script: a counter whose TTL is renewed by every admission.
-- rlctl: args     = limit, ttl_s
-- rlctl: reply    = allowed = reply == false or reply ~= 0, count = reply
-- rlctl: run      = server
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; admissions since the last pause as long as the TTL
-- rlctl: used     = count
-- rlctl: flaw     = the window never ends, even below the limit: with a limit of 100 a minute, a steady client of 60 a minute is refused after its 100th request
--
-- Specimen 4c. If Redis returns nothing, the application proceeds: it fails open.

local limit, limit_time = tonumber(ARGV[1]), ARGV[2]

local count = tonumber(redis.call('GET', KEYS[1]) or 0)
if count + 1 > limit then return 0 end
count = redis.call('INCRBY', KEYS[1], 1)
redis.call('EXPIRE', KEYS[1], limit_time)
return count
