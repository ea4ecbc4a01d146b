-- Textbook leaky bucket in three steps: GET, INCRBY by what has leaked, INCR.
-- rlctl: args     = capacity, now_ms
-- rlctl: reply    = allowed
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = client
-- rlctl: clock    = argument
-- rlctl: cost     = O(1)
-- rlctl: state    = string: value; read as a time, written as a level
-- rlctl: flaw     = one value is used as a time and as a level, so it falls far below zero and everything is admitted
--
-- Specimen 5d: key leaky:user:<id>, which leaks one request per second. No TTL.

local capacity, now_ms = tonumber(ARGV[1]), tonumber(ARGV[2])

local value = tonumber(redis.call('GET', KEYS[1]) or now_ms)
local leaked = math.floor((now_ms - value) / 1000)
local level = redis.call('INCRBY', KEYS[1], 0 - leaked)
if math.max(0, level) >= capacity then return 0 end
redis.call('INCR', KEYS[1])
return 1
