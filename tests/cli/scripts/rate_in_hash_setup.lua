-- Sets the rate of a key.
-- rlctl: args = limit
redis.call('HSET', KEYS[1], 'rate', ARGV[1])
return redis.call('HINCRBY', KEYS[1], 'setups', 1)
