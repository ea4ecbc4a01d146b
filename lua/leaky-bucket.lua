-- Leaky bucket as a meter: each admission adds its cost, the bucket leaks limit per window, and a
-- request that would overflow it is denied.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms, capacity
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(1)
-- rlctl: state    = hash: units, at_us; the level at that time, in 1/window_us requests
-- rlctl: used     = math.max(0, (units - (now_us - at_us) * limit) / window_us)
--
-- In units of 1/window_us requests the bucket leaks `limit` units per microsecond. These are whole
-- numbers, so nothing is lost to rounding, however often the bucket is asked. Whole numbers are
-- exact up to 2^53; a larger bucket is counted in the largest unit of which a request and the leak
-- of a microsecond are both multiples.

local call = redis.call
local key, limit, window, cost, capacity = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0, ARGV[6] + 0

local now = ARGV[4]
if now == '' then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = now + 0
end

local request, leak = window, limit -- units per request; units that leak per microsecond
if capacity * request >= 2^53 then
  local divisor, rest = window, limit
  while rest > 0 do divisor, rest = rest, divisor % rest end
  request, leak = window / divisor, limit / divisor
  if capacity * request >= 2^53 then return redis.error_reply('ERR leaky-bucket: capacity x window is beyond 2^53') end
end
local full = capacity * request

local state = call('HMGET', key, 'units', 'at_us')
local level, at = 0, now
if state[1] then
  at = math.max(now, state[2]) -- a clock that was set back leaks nothing
  level = math.max(0, state[1] - (at - state[2]) * leak)
end

local raised = level + cost * request
if raised > full then
  local retry_after = cost > capacity and -1 or at - now + math.ceil((raised - full) / leak)
  return {0, math.floor((full - level) / request), retry_after, now}
end
call('HSET', key, 'units', raised, 'at_us', at)
call('PEXPIRE', key, math.max(ARGV[5], math.ceil(raised / leak / 1000)))
return {1, math.floor((full - raised) / request), 0, now}
