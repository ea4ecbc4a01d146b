-- Exact sliding window in a sorted set: one entry per admission, with the time in µs as its score.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = limit/window
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(cost log n)
-- rlctl: state    = zset: at_us; the time of each admission, newest last
-- rlctl: used     = live
--
-- A member is the time and the number of the admission in its window, `1763683982123456-17`. Two
-- admissions in the same microsecond have different numbers, because the second one counts the
-- first. A member can exist already only if the clock was set back; ZADD then adds nothing, and the
-- script takes the next number.

local call = redis.call
local key, limit, window, cost = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0

local now_text = ARGV[4] -- passed on as text: Redis is slow at converting Lua numbers
if now_text == '' then
  local time = call('TIME')
  now_text = time[1] .. string.sub('00000' .. time[2], -6)
end
local now = now_text + 0
local horizon = now - window -- entries at or before this time have left the window

local horizon_text = string.format('%.0f', horizon)
local used = call('ZCOUNT', key, '(' .. horizon_text, '+inf')
if used + cost > limit then
  if cost > limit then return {0, math.max(0, limit - used), -1, now} end
  local decisive = call('ZREVRANGE', key, limit - cost, limit - cost, 'WITHSCORES')
  return {0, math.max(0, limit - used), decisive[2] - horizon, now}
end

call('ZREMRANGEBYSCORE', key, '-inf', horizon_text)
local number = used
for _ = 1, cost do
  repeat
    number = number + 1
  until call('ZADD', key, now_text, now_text .. '-' .. number) == 1
end
call('PEXPIRE', key, ARGV[5])
return {1, limit - used - cost, 0, now}
