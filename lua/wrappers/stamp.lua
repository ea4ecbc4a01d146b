-- Adds a stamp to the reply of a foreign script: Redis's time right after the decision, in the same
-- atomic step.

local function algorithm(KEYS, ARGV)
-- rlctl: algorithm
end

-- rlctl: values

local reply = algorithm(KEYS, ARGV)
if type(reply) == 'table' and reply.err then return reply end
local values = values_of(reply)
local time = redis.call('TIME')
local decided = time[1] * 1000000 + time[2]
return {values.allowed and 1 or 0, values.remaining or 0, values.retry_after or 0, decided, values.delay or 0}
