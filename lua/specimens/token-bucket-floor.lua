-- Token bucket in one script that refills whole tokens and loses the fraction at every admission.
-- rlctl: args     = capacity, rate_per_s, cost, now_ms
-- rlctl: reply    = allowed
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = server
-- rlctl: clock    = argument
-- rlctl: cost     = O(1)
-- rlctl: state    = hash: tokens, last_refill; tokens left at the last admission, and its time in ms
-- rlctl: flaw     = fractions of a token are lost at every admission, so a steady client never gets its burst back, and just above the rate it gets half of the rate; a TTL of 60 s fills slower buckets early
--
-- Specimen 5e. It is said to starve a steady client below its rate. A regular client below the rate
-- is not starved, because a gap of one token or more refills at least the token that it takes. A
-- client with uneven gaps below the rate is starved. A regular client 10 % above the rate gets 55 %
-- of the rate, because every second request refills nothing.

local capacity, rate, cost, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local state = redis.call('HMGET', KEYS[1], 'tokens', 'last_refill')
local tokens, last = tonumber(state[1] or capacity), tonumber(state[2] or now)
local refill = math.floor((now - last) / 1000 * rate)
tokens = math.min(tokens + refill, capacity)
if tokens < cost then return 0 end
redis.call('HMSET', KEYS[1], 'tokens', tokens - cost, 'last_refill', now)
redis.call('EXPIRE', KEYS[1], 60)
return 1
