-- A sliding log that compares with <= instead of <: one too many in every window.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, now_us, ttl_ms
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = limit/window
-- rlctl: run      = server
-- rlctl: clock    = redis
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000
local now = tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
local used = redis.call('ZCARD', key)
if used > limit then return {0, 0, 1, now} end
redis.call('ZADD', key, now, string.format('%.0f-%d', now, redis.call('INCR', key .. ':asked')))
redis.call('PEXPIRE', key, ARGV[4])
return {1, math.max(0, limit - used - 1), 0, now}
