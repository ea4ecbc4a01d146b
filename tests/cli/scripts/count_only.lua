-- A fixed window as many libraries publish it: the script counts, the client compares. For tests.
-- rlctl: keys     = <key>:<window_number>
-- rlctl: args     = "0"
-- rlctl: reply    = allowed = reply <= limit
-- rlctl: contract = none
-- rlctl: run      = server
-- rlctl: clock    = expiry
return redis.call('INCR', KEYS[1])
