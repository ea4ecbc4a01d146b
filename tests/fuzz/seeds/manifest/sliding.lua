0-- Exact sliding window in a sorted set: an entry per admission, its score the time in µs.
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
-- A member is the time and the admission's number in its window, `1763683982123456-17`. Two of one microsecond see the
-- same window, which the first has made one longer, so their numbers differ. Only a clock that was set
-- back can meet a member again; ZADD tells (it adds nothing), and the next number is taken.
return 1
