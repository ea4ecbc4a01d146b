-- Token bucket: holds `capacity` tokens and refills steadily at limit per window; a request takes
-- its cost in tokens.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms, capacity
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(1)
-- rlctl: state    = hash: left, at_us; tokens left at that time, in 1/window_us tokens
-- rlctl: used     = capacity - math.min(capacity, (left + (now_us - at_us) * limit) / window_us)
--
-- In units of 1/window_us tokens the bucket refills `limit` units per microsecond. These are whole
-- numbers, so nothing is lost to rounding, however often the bucket is asked. Whole numbers are
-- exact up to 2^53; a larger bucket is counted in the largest unit of which a token and the refill
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

local token, refill = window, limit -- units per token; units refilled per microsecond
if capacity * token >= 2^53 then
  local divisor, rest = window, limit
  while rest > 0 do divisor, rest = rest, divisor % rest end
  token, refill = window / divisor, limit / divisor
  if capacity * token >= 2^53 then return redis.error_reply('ERR token-bucket: capacity x window is beyond 2^53') end
end
local full = capacity * token

local state = call('HMGET', key, 'left', 'at_us')
local units, at = full, now
if state[1] then
  at = math.max(now, state[2]) -- a clock that was set back refills nothing
  units = math.min(full, state[1] + (at - state[2]) * refill)
end

local rest = units - cost * token
if rest < 0 then
  local retry_after = cost > capacity and -1 or at - now + math.ceil(-rest / refill)
  return {0, math.floor(units / token), retry_after, now}
end
call('HSET', key, 'left', rest, 'at_us', at)
call('PEXPIRE', key, math.max(ARGV[5], math.ceil((full - rest) / refill / 1000)))
return {1, math.floor(rest / token), 0, now}
