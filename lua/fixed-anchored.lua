-- Fixed window that begins at its first hit: a counter that expires one window after it was
-- created. Around the end of a window it admits up to twice the limit, and an attacker knows that
-- time from the first hit.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = limit/window first-hit
-- rlctl: run      = server
-- rlctl: clock    = expiry
-- rlctl: cost     = O(1)
-- rlctl: state    = string: count; admissions since the window's first hit
-- rlctl: used     = count
-- rlctl: frees_us = ttl_ms * 1000
--
-- The counter is created with its TTL in one command, so that no crash and no error can leave it
-- without a TTL. Redis keeps a key for the whole millisecond in which it expires; retry_after_us
-- includes that.

local call = redis.call
local key, limit, cost = KEYS[1], ARGV[1] + 0, ARGV[3] + 0

local used = (call('GET', key) or 0) + 0
if used + cost > limit then
  local left_ms = cost <= limit and call('PTTL', key) or -1
  local time = call('TIME')
  local retry_after = left_ms < 0 and -1 or (left_ms + 1) * 1000 - time[2] % 1000
  return {0, math.max(0, limit - used), retry_after, time[1] * 1000000 + time[2]}
end
if used == 0 then
  call('SET', key, ARGV[3], 'PX', ARGV[2])
else
  call('INCRBY', key, ARGV[3])
end
local time = call('TIME')
return {1, limit - used - cost, 0, time[1] * 1000000 + time[2]}
