-- A bucket that knows only whole seconds of Redis's clock. The window has to be a second.
-- rlctl: args     = limit, capacity
-- rlctl: reply    = allowed
-- rlctl: contract = bucket capacity + limit/window by steps of window
-- rlctl: clock    = redis
local refill, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(redis.call('TIME')[1])
local since, tokens = unpack(redis.call('HMGET', KEYS[1], 'since', 'tokens'))
since, tokens = tonumber(since or 0), tonumber(tokens or capacity)
tokens = math.min(capacity, tokens + math.max(0, now - since) * refill)
if tokens < 1 then return 0 end
redis.call('HSET', KEYS[1], 'since', now, 'tokens', tokens - 1)
redis.call('EXPIRE', KEYS[1], math.ceil(capacity / refill) * 2)
return 1
