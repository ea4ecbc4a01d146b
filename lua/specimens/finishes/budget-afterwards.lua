-- Adds what was used; the first to end opens the window.
-- rlctl: keys = <key>
-- rlctl: args = actual_cost, window_ms

local used = redis.call('INCRBY', KEYS[1], ARGV[1])
if used == ARGV[1] + 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return used
