-- This is not valid Lua.
-- rlctl: keys     = <key>
-- rlctl: args     = limit
-- rlctl: reply    = allowed
-- rlctl: run      = server
-- rlctl: clock    = expiry
this is not Lua
