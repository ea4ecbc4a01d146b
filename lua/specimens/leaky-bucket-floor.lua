-- Leaky bucket in one script that leaks whole requests at fixed times.
-- rlctl: args     = capacity, emission_ms, now_ms
-- rlctl: reply    = allowed
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = server
-- rlctl: clock    = argument
-- rlctl: cost     = O(1)
-- rlctl: state    = hash: count, last_leak; the level at the last admission, and the ms up to which it has leaked
-- rlctl: flaw     = an old last_leak on an empty bucket makes one request leak early, so that capacity + 1 pass at once; a TTL of 60 s empties slower buckets early
--
-- Specimen 5f: with capacity 5 and one leak per second, 5 requests pass at 1,999 ms and a 6th at
-- 2,000 ms.

local capacity, emission_ms, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local state = redis.call('HMGET', KEYS[1], 'count', 'last_leak')
local count, last = tonumber(state[1] or 0), tonumber(state[2] or now)
local leaked = math.floor((now - last) / emission_ms)
count = math.max(0, count - leaked)
last = last + leaked * emission_ms
if count + 1 > capacity then return 0 end
redis.call('HMSET', KEYS[1], 'count', count + 1, 'last_leak', last)
redis.call('EXPIRE', KEYS[1], 60)
return 1
