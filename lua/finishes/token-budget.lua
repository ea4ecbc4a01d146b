-- The estimate is replaced by what was used, at the time of the decision.
-- rlctl: keys = <key>
-- rlctl: args = cost, uuid, actual_cost

local reserved = ARGV[1] .. ':' .. ARGV[2]
local used = ARGV[3] .. ':' .. ARGV[2]
local at = redis.call('ZSCORE', KEYS[1], reserved)
if not at then return 0 end
if used == reserved then return 1 end
redis.call('ZADD', KEYS[1], at, used) -- first: an empty key would be gone, with its expiry
redis.call('ZREM', KEYS[1], reserved)
return 1
