-- Approximate sliding window: two aligned counters, the older one weighted by its overlap with the
-- window. The estimate is exact if the traffic of the older window was even; a burst at the end of
-- that window counts too little.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(1)
-- rlctl: state    = hash: at_us, current, previous; start of the window, admissions in it and in the previous one
-- rlctl: used     = now_us - at_us < window_us and current + previous * (1 - (now_us - at_us) / window_us) or now_us - at_us < 2 * window_us and current * (2 - (now_us - at_us) / window_us) or 0
--
-- Everything is counted in 1/window_us admissions, so that the weights are whole numbers and
-- nothing is rounded.

local call = redis.call
local key, limit, window, cost = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0

local now = ARGV[4]
if now == '' then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = now + 0
end
local elapsed = now % window
local start = now - elapsed

local state = call('HMGET', key, 'at_us', 'current', 'previous')
local kept_start, current, previous = (state[1] or 0) + 0, (state[2] or 0) + 0, (state[3] or 0) + 0
if kept_start ~= start then
  previous = kept_start == start - window and current or 0
  current = 0
end

local used = previous * (window - elapsed) + current * window
if used + cost * window > limit * window then
  local remaining = math.max(0, limit - math.ceil(used / window))
  if cost > limit then return {0, remaining, -1, now} end
  local retry_after
  if current + cost <= limit then -- when enough of the older window has passed
    retry_after = window - math.floor((limit - current - cost) * window / previous) - elapsed
  else -- when enough of this window has passed, after it became the older one
    retry_after = 2 * window - math.floor((limit - cost) * window / current) - elapsed
  end
  return {0, remaining, retry_after, now}
end

if kept_start == start then
  call('HINCRBY', key, 'current', ARGV[3])
else
  call('HSET', key, 'at_us', start, 'current', cost, 'previous', previous)
  call('PEXPIRE', key, 2 * ARGV[5])
end
return {1, limit - cost - math.ceil(used / window), 0, now}
