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

local now_text = ARGV[4] -- passed on as text: Redis is slow at converting Lua numbers
if now_text == '' then
  local time = call('TIME')
  now_text = time[1] .. string.sub('00000' .. time[2], -6)
end
local now = now_text + 0
local horizon = now - window -- entries at or before this time have left the window

-- The index of the first live entry (0 is the head), if no entry before `first` is live: O(log n)
-- calls.
local function first_live(first, length)
  while first < length do
    local middle = math.floor((first + length) / 2)
    if call('LINDEX', key, middle) + 0 > horizon then length = middle else first = middle + 1 end
  end
  return first
end

local decisive = cost <= limit and call('LINDEX', key, cost == 1 and '-' .. ARGV[1] or cost - limit - 1)
if cost > limit or decisive and decisive + 0 > horizon then
  local remaining = 0
  if cost > 1 then
    local length = call('LLEN', key)
    remaining = limit - length + first_live(0, length)
  end
  if cost > limit then return {0, remaining, -1, now} end
  return {0, remaining, decisive - horizon, now}
end

-- The list can hold entries that have left the window, but usually none or one: no search for these.
local dropped = false
local head = cost == 1 and decisive or call('LINDEX', key, '0')
if head and head + 0 <= horizon then
  dropped = true
  call('LPOP', key)
  head = call('LINDEX', key, '0')
  if head and head + 0 <= horizon then
    call('LTRIM', key, first_live(1, call('LLEN', key)), '-1')
  end
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
if dropped or length == cost then call('PEXPIRE', key, string.format('%d', 2 * ARGV[5])) end
return {1, limit - length, 0, now}
