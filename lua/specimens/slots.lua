-- Slots as a counter: INCR to take one, DECR to give it back.
-- rlctl: args     = limit, cost
-- rlctl: reply    = allowed, remaining
-- rlctl: contract = limit in flight
-- rlctl: finish   = finishes/slots.lua
-- rlctl: run      = server
-- rlctl: clock    = expiry
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; slots that were taken and not given back
-- rlctl: used     = count
-- rlctl: flaw     = a holder that crashes leaks its slot for ever: after as many crashes as there are slots nobody is admitted again
--
-- Specimen 8a. Nothing in the key says who holds a slot, so nobody can tell a slow holder from a dead one.

local limit, cost = ARGV[1] + 0, ARGV[2] + 0
local taken = redis.call('INCRBY', KEYS[1], cost)
if taken <= limit then return {1, limit - taken} end
redis.call('DECRBY', KEYS[1], cost)
return {0, math.max(0, limit - taken + cost)}
