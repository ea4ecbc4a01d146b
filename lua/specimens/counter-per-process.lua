-- One counter in each of four processes behind a load balancer that takes turns, each with the whole limit.
-- rlctl: keys     = <key>:turn, <key>:1:<window_number>, <key>:2:<window_number>, <key>:3:<window_number>, <key>:4:<window_number>
-- rlctl: args     = ttl_s
-- rlctl: reply    = allowed = reply <= limit, count = reply
-- rlctl: contract = fixed
-- rlctl: run      = server
-- rlctl: cost     = O(1)
-- rlctl: state    = string: turn; requests so far, whose remainder by four is the process that is next
-- rlctl: flaw     = no process knows what the others admitted: four times the limit
--
-- Specimen 7a. The real one has no Redis at all: the first key stands for the balancer, the others for the memory of the
-- processes, a fixed window in each.

local turn = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
local memory = KEYS[2 + turn % 4]
local count = redis.call('INCR', memory)
redis.call('EXPIRE', memory, ARGV[1])
return count
