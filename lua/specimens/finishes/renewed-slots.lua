-- Gives the slots back, unless the counter has expired.
-- rlctl: keys = <key>
-- rlctl: args = cost

if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('DECRBY', KEYS[1], ARGV[1])
