-- Generic cell rate algorithm (ITU-T I.371): one number, the theoretical arrival time of the next
-- request.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms, capacity
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(1)
-- rlctl: state    = string: tat_us, part, parts; the theoretical arrival time of the next request, in µs since 1970
-- rlctl: used     = math.max(0, tat_us - now_us + (part or 0) / (parts or 1)) * limit / window_us
--
-- A request is worth window / limit µs, which is usually not a whole number. The time is stored as
-- `1763683982123456+2/7`, whole µs and a fraction, so that nothing is lost to rounding. The script
-- calculates how far that time is ahead of now, in 1/limit µs. These are whole numbers, exact up to
-- 2^53; beyond that, the fraction window / limit is reduced.

local call = redis.call
local key, limit, window, cost, capacity = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0, ARGV[6] + 0

local now = ARGV[4]
if now == '' then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = now + 0
end

local request, parts = window, limit -- a request in parts of a microsecond; parts in a microsecond
if capacity * request >= 2^53 then
  local divisor, rest = window, limit
  while rest > 0 do divisor, rest = rest, divisor % rest end
  request, parts = window / divisor, limit / divisor
  if capacity * request >= 2^53 then return redis.error_reply('ERR gcra: capacity x window is beyond 2^53') end
end
local most = capacity * request

local ahead = 0
local value = call('GET', key)
if value then
  local whole = tonumber(value)
  local part = 0
  if not whole then
    local numerator, denominator
    whole, numerator, denominator = string.match(value, '^(%d+)%+(%d+)/(%d+)$')
    part = math.ceil(numerator * parts / denominator) -- exact unless the limit was changed
  end
  ahead = math.max(0, (whole - now) * parts + part)
end

local raised = ahead + cost * request
if raised > most then
  local retry_after = cost > capacity and -1 or math.ceil((raised - most) / parts)
  return {0, math.max(0, math.floor((most - ahead) / request)), retry_after, now}
end
local tat, part = now + math.floor(raised / parts), raised % parts
if part > 0 then tat = string.format('%.0f+%.0f/%.0f', tat, part, parts) end
call('SET', key, tat, 'PX', math.max(ARGV[5], math.ceil(raised / parts / 1000)))
return {1, math.floor((most - raised) / request), 0, now}
