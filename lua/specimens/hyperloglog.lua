-- HyperLogLog per window: an estimate of how many different requests came, 12 KB whatever the limit.
-- rlctl: keys          = <key>:<window_number>
-- rlctl: args          = uuid
-- rlctl: reply         = allowed = reply <= limit, count = reply
-- rlctl: contract      = fixed
-- rlctl: run           = server
-- rlctl: cost          = O(1)
-- rlctl: state         = string: registers; a HyperLogLog of the window's request ids
-- rlctl: flaw          = the count is an estimate, off by 0.8 % and more either way; twice the limit around a window's edge; no TTL
--
-- Specimen 7b. Denied requests are added too, which does no harm within a window.

redis.call('PFADD', KEYS[1], ARGV[1])
return redis.call('PFCOUNT', KEYS[1])
