0-- Textbook sliding log in three steps: ZADD, ZREMRANGEBYSCORE, ZCARD.
-- rlctl: args          = window_ms, now_ms
-- rlctl: reply         = allowed = reply <= limit, count = reply
-- rlctl: contract      = limit/window
-- rlctl: run           = client
-- rlctl: clock         = argument
-- rlctl: cost          = O(log n)
-- rlctl: state         = zset: at_ms; the ms of each request, admitted or denied, newest last
-- rlctl: flaw          = requests of one ms merge into one entry and all pass; denied ones count; who race are all refused; no TTL
--
-- Specimen 5b: key rate:user:<id>. It adds first, so a race never lets too many through.
return 1
