-- Adds stamps to the reply of a foreign script: Redis's time just before and just after it, in the
-- same atomic step. The script decides by a time between the two.

local function algorithm(KEYS, ARGV)
-- rlctl: algorithm
end

-- rlctl: values

local function now_us()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local from = now_us()
local reply = algorithm(KEYS, ARGV)
if type(reply) == 'table' and reply.err then return reply end
local to = now_us()
local values = values_of(reply)
return {values.allowed and 1 or 0, values.remaining or 0, values.retry_after or 0, to, values.delay or 0, from}
