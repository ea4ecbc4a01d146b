-- Gives the slots back, in the window of now.
-- rlctl: keys = <key>:<window_number>
-- rlctl: args = cost, ttl_ms

redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('DECRBY', KEYS[1], ARGV[1])
