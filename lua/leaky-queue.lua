-- Leaky bucket as a queue: admits up to `capacity` waiting requests, and tells each one how long to
-- wait for its turn.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms, capacity
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us, delay_us
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(1)
-- rlctl: state    = hash: units, at_us; the queue at that time, in 1/window_us requests
-- rlctl: used     = math.max(0, (units - (now_us - at_us) * limit) / window_us)
--
-- The queue drains one request every window / limit, and a request's turn comes when all requests
-- before it have drained. Callers that wait delay_us make the traffic even. The queue is counted in
-- units of 1/window_us requests and drains `limit` units per microsecond. These are whole numbers,
-- so no turn drifts. Whole numbers are exact up to 2^53; a larger queue is counted in the largest
-- unit of which a request and the drain of a microsecond are both multiples.

local call = redis.call
local key, limit, window, cost, capacity = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0, ARGV[6] + 0

local now = ARGV[4]
if now == '' then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = now + 0
end

local request, drain = window, limit -- units per request; units that drain per microsecond
if capacity * request >= 2^53 then
  local divisor, rest = window, limit
  while rest > 0 do divisor, rest = rest, divisor % rest end
  request, drain = window / divisor, limit / divisor
  if capacity * request >= 2^53 then return redis.error_reply('ERR leaky-queue: capacity x window is beyond 2^53') end
end
local full = capacity * request

local state = call('HMGET', key, 'units', 'at_us')
local level, at = 0, now
if state[1] then
  at = math.max(now, state[2]) -- a clock that was set back drains nothing
  level = math.max(0, state[1] - (at - state[2]) * drain)
end

local raised = level + cost * request
if raised > full then
  local retry_after = cost > capacity and -1 or at - now + math.ceil((raised - full) / drain)
  return {0, math.floor((full - level) / request), retry_after, now, 0}
end
call('HSET', key, 'units', raised, 'at_us', at)
call('PEXPIRE', key, math.max(ARGV[5], math.ceil(raised / drain / 1000)))
return {1, math.floor((full - raised) / request), 0, now, at - now + math.ceil(level / drain)}
