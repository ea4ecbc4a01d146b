-- Sliding log per IP with a block flag, from a public list API: every request is added before the
-- check, also a denied one.
-- rlctl: keys          = <key>, <block_key>
-- rlctl: args          = limit, window_ms, now_ms, ttl_s
-- rlctl: reply         = allowed
-- rlctl: contract      = limit/window, denied count
-- rlctl: run           = server
-- rlctl: clock         = argument
-- rlctl: cost          = O(log n)
-- rlctl: state         = zset: at_ms; the time in ms of each request, admitted or denied, newest last
-- rlctl: used          = live
-- rlctl: flaw          = denials keep the window full until the key expires; requests in the same ms count once; the flag is never read
--
-- Specimen 1: 20 a minute per IP, key ratelimit:ip:<ip>:minute, flag ratelimit:ip:<ip>:blocked. A
-- bot of 30 a minute gets 20 admissions, then only denials until the key expires. Only admissions
-- renew the key, so it expires one window after the last of them; then the cycle repeats. On the
-- virtual clock, where keys live for an hour, the bot is never admitted again.

local limit, window_ms, now_ms, ttl_s = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]

redis.call('ZADD', KEYS[1], now_ms, now_ms)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '0', now_ms - window_ms)
local count = redis.call('ZCARD', KEYS[1])
if count > limit then
  redis.call('SET', KEYS[2], '1')
  redis.call('EXPIRE', KEYS[2], ttl_s)
  return 0
end
redis.call('EXPIRE', KEYS[1], ttl_s)
return 1
