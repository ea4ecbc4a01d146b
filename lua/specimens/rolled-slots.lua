-- Slots counted in a key for each minute, so that a leaked slot is gone with its minute.
-- rlctl: keys     = <key>:<window_number>
-- rlctl: args     = limit, cost, ttl_ms
-- rlctl: reply    = allowed, remaining
-- rlctl: contract = limit in flight
-- rlctl: finish   = finishes/rolled-slots.lua
-- rlctl: run      = server
-- rlctl: clock    = argument
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; slots that were taken in this window and not given back
-- rlctl: used     = count
-- rlctl: flaw     = a new window forgets who is still in flight, so twice the limit is held at its edge, and more when the forgotten give back slots of the new window
--
-- Specimen 8c.

local limit, cost = ARGV[1] + 0, ARGV[2] + 0
local taken = redis.call('INCRBY', KEYS[1], cost)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if taken <= limit then return {1, limit - taken} end
redis.call('DECRBY', KEYS[1], cost)
return {0, math.max(0, limit - taken + cost)}
