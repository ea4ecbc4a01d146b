-- Budget of tokens: checks the count, and adds the cost when it is known.
-- rlctl: args     = limit
-- rlctl: reply    = allowed, remaining
-- rlctl: contract = limit/window first-hit
-- rlctl: finish   = finishes/budget-afterwards.lua
-- rlctl: run      = server
-- rlctl: clock    = expiry
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; tokens that finished requests have used in this window
-- rlctl: used     = count
-- rlctl: flaw     = requests in flight count nothing, so all that ask before the first one ends are admitted: with a limit of 100, five at once used 663
--
-- Specimen 9. It is how gateways for language models count: the cost is in the answer.

local used = redis.call('GET', KEYS[1]) or 0
if used + 0 >= ARGV[1] + 0 then return {0, 0} end
return {1, ARGV[1] - used}
