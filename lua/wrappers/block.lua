-- A block flag around an algorithm: it is set at the first denial. While it exists, every request
-- is denied and nothing is counted.
--
-- The flag contains its own end in µs, so that it ends exactly to the µs, also on the virtual
-- clock. Its TTL is the block time plus ttl_ms minus the window; that difference is zero except on
-- the virtual clock.

local block_key = table.remove(KEYS)
local now_text, ttl_ms = table.remove(ARGV), table.remove(ARGV)
local window_ms, block_ms = table.remove(ARGV), table.remove(ARGV)

local function algorithm(KEYS, ARGV)
-- rlctl: algorithm
end

-- rlctl: values

local function time_us()
  if now_text ~= '' then return now_text + 0 end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local now = time_us()
local blocked_until = tonumber(redis.call('GET', block_key) or 0) or 0
if blocked_until > now then return {0, 0, blocked_until - now, now, 0, now} end

local reply = algorithm(KEYS, ARGV)
if type(reply) == 'table' and reply.err then return reply end
local values = values_of(reply)
local to = values.decided or time_us()
local from = values.decided_from or values.decided or now
if values.allowed then return {1, values.remaining or 0, 0, to, values.delay or 0, from} end

local block_us = block_ms * 1000
redis.call('SET', block_key, string.format('%.0f', from + block_us), 'PX', block_ms + (ttl_ms - window_ms))
local retry_after = values.retry_after or block_us
if retry_after >= 0 then retry_after = math.max(retry_after, block_us) end -- negative: the request never fits
return {0, values.remaining or 0, retry_after, to, 0, from}
