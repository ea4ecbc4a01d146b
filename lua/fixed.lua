-- Fixed window aligned to the clock: one number, the start of the window in µs plus the admissions
-- in it. Around the edge of a window it admits up to twice the limit, as every fixed window does.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = limit/window fixed
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(1)
-- rlctl: state    = string: start_us; the window's start since 1970 plus the admissions in it
-- rlctl: used     = math.max(0, start_us - (now_us - now_us % window_us))
-- rlctl: frees_us = window_us - now_us % window_us
--
-- The client can't know which window Redis's clock is in, so the value contains the window. A count
-- below one per µs never reaches the start of the next window, so one integer holds both: INCRBY
-- counts and keeps the TTL. The value of a past window is a smaller number, even if the key has not
-- expired, so the limiter is exact to the µs.

local call = redis.call
local key, limit, window, cost = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0
if limit >= window then return redis.error_reply('ERR fixed: the limit must be below one per microsecond') end

local now = ARGV[4]
if now == '' then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = now + 0
end

local start = now - now % window
local value = call('GET', key)
local used = value and value - start or 0
if used < 0 then used = 0 end

if used + cost > limit then
  if cost > limit then return {0, limit - used, -1, now} end
  return {0, limit - used, start + window - now, now}
end
if used > 0 then
  call('INCRBY', key, ARGV[3])
else
  call('SET', key, start + cost, 'PX', ARGV[5])
end
return {1, limit - used - cost, 0, now}
