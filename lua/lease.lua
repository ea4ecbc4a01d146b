-- Exact semaphore with leases in a sorted set: who holds, by the end of the lease.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms, uuid
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = limit in flight, lease window
-- rlctl: finish   = finishes/lease.lua
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(cost · log limit)
-- rlctl: state    = zset: at_us; the end of each lease
-- rlctl: used     = length
--
-- A holder that vanishes keeps its units until its lease ends, and no longer. A denied request holds
-- nothing, so asking again renews nothing. Each unit is a member of its own: ZCARD counts them, and
-- the finish removes exactly those of its decision.

local call = redis.call
local key, limit, lease, cost = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0

local now = ARGV[4]
if now == '' then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = now + 0
end

call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now))
local held = call('ZCARD', key)
if held + cost > limit then
  local wait = -1
  if cost <= limit then
    wait = call('ZRANGE', key, held + cost - limit - 1, held + cost - limit - 1, 'WITHSCORES')[2] - now
  end
  return {0, math.max(0, limit - held), wait, now}
end

local ends = string.format('%d', now + lease)
for unit = 1, cost do call('ZADD', key, ends, ARGV[6] .. ':' .. unit) end
call('PEXPIRE', key, ARGV[5])
return {1, limit - held - cost, 0, now}
