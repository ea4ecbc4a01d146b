-- Budget of tokens per window: reserves an estimate, and its finish settles what was used.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms, uuid
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = limit/window
-- rlctl: finish   = finishes/token-budget.lua
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(requests in the window)
-- rlctl: state    = zset: at_us; the time of each admission
-- rlctl: used     = length
--
-- The cost is the most that the request may use, for example its max_tokens. It counts until the
-- finish says what was used; that is never more, so the budget holds. A client that crashes has
-- spent its estimate. Each admission is a member `cost:uuid` with its time as the score.

local call = redis.call
local key, limit, window, cost = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0

local now = ARGV[4]
if now == '' then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = now + 0
end

call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now - window))
local entries = call('ZRANGE', key, 0, -1, 'WITHSCORES')
local used = 0
for i = 1, #entries, 2 do used = used + string.match(entries[i], '^%d+') end

if used + cost > limit then
  local wait, left = -1, used
  for i = 1, cost <= limit and #entries or 0, 2 do
    left = left - string.match(entries[i], '^%d+')
    wait = entries[i + 1] + window - now
    if left + cost <= limit then break end
  end
  return {0, math.max(0, limit - used), wait, now}
end

call('ZADD', key, string.format('%d', now), ARGV[3] .. ':' .. ARGV[6])
call('PEXPIRE', key, ARGV[5])
return {1, limit - used - cost, 0, now}
