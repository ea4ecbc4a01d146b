0-- Generic cell rate algorithm (ITU-T I.371): one number, the theoretical arrival time of the next request.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms, capacity
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = bucket capacity + limit/window
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(1)
-- rlctl: state    = string: tat_us, part, parts; time at which everything admitted is paid off, in µs since 1970
-- rlctl: used     = math.max(0, tat_us - now_us + (part or 0) / (parts or 1)) * limit / window_us
--
-- A request is worth window / limit µs, mostly no whole number: the time is kept as `1763683982123456+2/7`, whole µs and
-- a fraction, so that nothing is lost to rounding. Inside, it is how far that time is ahead of now, in 1/limit µs. These
-- are whole numbers up to 2^53; beyond, the fraction window / limit is reduced.
return 1
