-- One counter in each of four processes behind a round-robin load balancer; each process has the
-- whole limit.
-- rlctl: keys     = <key>:turn, <key>:1:<window_number>, <key>:2:<window_number>, <key>:3:<window_number>, <key>:4:<window_number>
-- rlctl: args     = ttl_s
-- rlctl: reply    = allowed = reply <= limit, count = reply
-- rlctl: contract = limit/window fixed
-- rlctl: run      = server
-- rlctl: cost     = O(1)
-- rlctl: state    = string: turn; requests so far, which modulo four give the next process
-- rlctl: flaw     = no process knows what the others admitted, so four times the limit passes
--
-- Specimen 7a. The real limiter has no Redis at all: here the first key stands for the balancer,
-- and the other keys for the memory of the processes, with a fixed window in each.

local turn = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
local memory = KEYS[2 + turn % 4]
local count = redis.call('INCR', memory)
redis.call('EXPIRE', memory, ARGV[1])
return count
