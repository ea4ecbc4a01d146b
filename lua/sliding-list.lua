-- Exact sliding window in a list: the time of every admission in µs, at most `limit` of them.
-- rlctl: keys     = <key>
-- rlctl: args     = limit, window_ms, cost, now_us, ttl_ms
-- rlctl: reply    = allowed, remaining, retry_after_us, decided_us
-- rlctl: contract = limit/window
-- rlctl: run      = server
-- rlctl: clock    = redis
-- rlctl: cost     = O(cost)
-- rlctl: state    = list: at_us; the time of each admission, newest last
-- rlctl: used     = live
--
-- A request of cost c fits if and only if the (limit - c + 1)-th newest admission has left the
-- window (t - W, t]. One LINDEX decides that, and a denial writes nothing.
--
-- Every key needs a TTL that lasts W longer than its newest entry, but it does not need a PEXPIRE
-- at every admission. The TTL is set to 2 W if the list was empty or an entry was dropped. Proof
-- that this is enough: let r be the last renewal and t a later admission. No entry was dropped
-- between them, so the head h was there at r (h <= r), and it is live at t (h > t - W). So r + 2 W
-- >= h + 2 W > t + W: the key outlives the admission at t. The key never outlives its use by more
-- than W, because the newest entry is not older than r.

local call = redis.call
local key, limit, window, cost = KEYS[1], ARGV[1] + 0, ARGV[2] * 1000, ARGV[3] + 0

-- An entry is text: Redis is slow at converting Lua numbers. Redis's own clock is read into that
-- text first, because one number is made of it in less time than of its two parts.
local now_text = ARGV[4]
if now_text == '' then
  local time = call('TIME')
  local us = time[2]
  if #us < 6 then us = string.sub('00000' .. us, -6) end
  now_text = time[1] .. us
end
local now = now_text + 0
local horizon = now - window -- entries at or before this time have left the window

local decisive = cost <= limit and call('LINDEX', key, cost == 1 and '-' .. ARGV[1] or cost - limit - 1)
local too_early = decisive and decisive + 0 > horizon
if too_early and cost == 1 then return {0, 0, decisive - horizon, now} end

-- How many entries have left the window: usually none or one, so there is no search for these. Else
-- O(log n) calls. No function: Lua would make it anew for every request.
local left = 0
local head = cost == 1 and decisive or call('LINDEX', key, '0')
if head and head + 0 <= horizon then
  local second = call('LINDEX', key, '1')
  left = 1
  if second and second + 0 <= horizon then
    local live = call('LLEN', key)
    left = 2
    while left < live do
      local middle = math.floor((left + live) / 2)
      if call('LINDEX', key, middle) + 0 > horizon then live = middle else left = middle + 1 end
    end
  end
end

if cost > limit or too_early then
  local remaining = limit - call('LLEN', key) + left
  return {0, remaining, too_early and decisive - horizon or -1, now}
end

if left == 1 then
  call('LPOP', key)
elseif left > 1 then
  call('LTRIM', key, left, '-1')
end

local length
if cost == 1 then
  length = call('RPUSH', key, now_text)
else
  local entries = {}
  for i = 1, math.min(cost, 1000) do entries[i] = now_text end
  for pushed = 0, cost - 1, 1000 do
    length = call('RPUSH', key, unpack(entries, 1, math.min(1000, cost - pushed)))
  end
end
if left > 0 or length == cost then call('PEXPIRE', key, string.format('%d', 2 * ARGV[5])) end
return {1, limit - length, 0, now}
