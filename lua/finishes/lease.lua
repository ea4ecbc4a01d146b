-- The work is over: its units are free. If its lease has ended, there is nothing to remove.
-- rlctl: keys = <key>
-- rlctl: args = cost, uuid

for unit = 1, ARGV[1] + 0 do redis.call('ZREM', KEYS[1], ARGV[2] .. ':' .. unit) end
return 1
