-- A bucket that is refilled at once, every window, counted from the first request of a full bucket.
-- rlctl: args     = limit, capacity, window_ms, now_ms
-- rlctl: reply    = allowed
-- rlctl: contract = bucket capacity + limit/window by steps of window
-- rlctl: clock    = argument
local refill, capacity, step, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local since, tokens = unpack(redis.call('HMGET', KEYS[1], 'since', 'tokens'))
since, tokens = tonumber(since or now), tonumber(tokens or capacity)
local steps = math.max(0, math.floor((now - since) / step))
tokens, since = math.min(capacity, tokens + steps * refill), since + steps * step
if tokens < 1 then return 0 end
redis.call('HSET', KEYS[1], 'since', since, 'tokens', tokens - 1)
redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - tokens + 1) / refill) * step)
return 1
