-- Gives the slots back.
-- rlctl: keys = <key>
-- rlctl: args = cost

return redis.call('DECRBY', KEYS[1], ARGV[1])
