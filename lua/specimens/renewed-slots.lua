-- Slots as a counter with a lease on the whole counter, which every request renews.
-- rlctl: args     = limit, window_ms, cost
-- rlctl: reply    = allowed, remaining
-- rlctl: contract = limit in flight, lease window
-- rlctl: finish   = finishes/renewed-slots.lua
-- rlctl: run      = server
-- rlctl: clock    = expiry
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; slots that were taken and not given back
-- rlctl: used     = count
-- rlctl: flaw     = the lease belongs to the counter, not to its holder: while anyone asks, a slot that leaked never comes back; when nobody asks for a whole lease, the slots of those who still work are given away
--
-- Specimen 8b. An EXPIRE was added to the counter of `slots`, so that a crash should not leak a slot for ever.

local limit, cost = ARGV[1] + 0, ARGV[3] + 0
local taken = redis.call('INCRBY', KEYS[1], cost)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if taken <= limit then return {1, limit - taken} end
redis.call('DECRBY', KEYS[1], cost)
return {0, math.max(0, limit - taken + cost)}
