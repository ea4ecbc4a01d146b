#include "inspect/key_state.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "inspect/stored_time.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/keyspace.h"
#include "io/redis/redis.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

constexpr std::int64_t kMostValueBytes = kSeenBytes - 1;  // a glance has one more, if there is
constexpr std::size_t kMostFields = 64;
constexpr std::int64_t kGlance = 2;

StateType type_of(std::string_view name) {
  if (name == "string") return StateType::string;
  if (name == "hash") return StateType::hash;
  if (name == "list") return StateType::list;
  if (name == "zset") return StateType::zset;
  return StateType::none;
}

// The reply. An error reply is stored as data: this command is refused, or the key has a problem.
const Reply* reply_of(const Exchange& exchange, const char* command, KeyState& state) {
  if (exchange.state != Exchange::State::replied) reply_or_throw(exchange);
  if (!exchange.reply.is_error()) return &exchange.reply;
  if (command != nullptr)
    state.refused.emplace_back(command);
  else
    state.problem = exchange.reply.text;
  return nullptr;
}

std::optional<std::int64_t> time_of(std::string_view text, std::string* unit = nullptr) {
  const auto time = stored_time_in(text);
  if (!time) return std::nullopt;
  if (unit != nullptr) *unit = time->unit;
  return time->us;
}

void take_zset_entries(const Reply& reply, KeyState& state) {
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2)
    state.entries.push_back(
        {reply.elements[i].text, time_of(reply.elements[i + 1].text, &state.time_unit)});
}

void take_list_entries(const Reply& reply, KeyState& state) {
  for (const Reply& element : reply.elements)
    state.entries.push_back({element.text, time_of(element.text, &state.time_unit)});
  if (state.newest_first) std::ranges::reverse(state.entries);
}

void take_fields(const Reply& scan, KeyState& state) {
  if (scan.elements.size() < 2) return;
  const std::vector<Reply>& flat = scan.elements[1].elements;
  for (std::size_t i = 0; i + 1 < flat.size() && state.fields.size() < kMostFields; i += 2)
    state.fields.emplace_back(flat[i].text, flat[i + 1].text);
}

// The commands that read a key's content for a glance, if one is enough: it tells the length too.
std::vector<std::string> glance_commands(const KeyState& state) {
  if (state.type == StateType::string)
    return {encode_command("GETRANGE", state.key, "0", std::to_string(kMostValueBytes))};
  if (state.type == StateType::hash)
    return {encode_command("HSCAN", state.key, "0", "COUNT", std::to_string(kMostFields))};
  return {};
}

// The commands that read a key's length and content, by its type; `most` entries.
std::vector<std::string> content_commands(const KeyState& state, std::int64_t most) {
  if (most == kGlance)
    if (std::vector<std::string> commands = glance_commands(state); !commands.empty())
      return commands;
  const std::string& key = state.key;
  const std::string last = std::to_string(-most);
  switch (state.type) {
    case StateType::string:
      return {encode_command("STRLEN", key),
              encode_command("GETRANGE", key, "0", std::to_string(kMostValueBytes - 1))};
    case StateType::hash:
      return {encode_command("HLEN", key),
              encode_command("HSCAN", key, "0", "COUNT", std::to_string(kMostFields))};
    case StateType::zset:
      return {encode_command("ZCARD", key),
              encode_command("ZRANGE", key, last, "-1", "WITHSCORES")};
    case StateType::list:  // both ends: the newer end is not known yet
      return {encode_command("LLEN", key), encode_command("LRANGE", key, last, "-1"),
              encode_command("LRANGE", key, "0", std::to_string(most - 1))};
    case StateType::none:
      break;
  }
  return {};
}

void take_list(const Reply& tail, const Reply& head, KeyState& state) {
  if (head.elements.empty() || tail.elements.empty()) return;
  const auto first = time_of(head.elements.front().text);
  const auto last = time_of(tail.elements.back().text);
  state.newest_first = first && last && *first > *last;
  take_list_entries(state.newest_first ? head : tail, state);
}

void take_glance(const Reply& reply, KeyState& state) {
  state.length = -1;
  if (state.type == StateType::hash) take_fields(reply, state);
  if (state.type == StateType::hash && state.fields.size() < kMostFields)
    state.length = static_cast<std::int64_t>(state.fields.size());
  if (state.type != StateType::string) return;
  state.value = reply.text;
  const auto bytes = static_cast<std::int64_t>(state.value.size());
  if (bytes <= kMostValueBytes) state.length = bytes;
}

void take_content(std::span<const Exchange> exchanges, KeyState& state) {
  std::vector<const Reply*> replies;
  for (const Exchange& exchange : exchanges) {
    replies.push_back(reply_of(exchange, nullptr, state));
    if (replies.back() == nullptr) return;
  }
  if (replies.empty()) return;
  if (replies.size() == 1) return take_glance(*replies[0], state);
  state.length = replies[0]->integer;
  if (state.type == StateType::string) state.value = replies[1]->text;
  if (state.type == StateType::hash) take_fields(*replies[1], state);
  if (state.type == StateType::zset) take_zset_entries(*replies[1], state);
  if (state.type == StateType::list) take_list(*replies[1], *replies[2], state);
}

void take_type(const Exchange& type, const Exchange& ttl, KeyState& state) {
  if (const Reply* reply = reply_of(type, nullptr, state)) {
    state.type_name = reply->text;
    state.type = type_of(reply->text);
  } else {
    state.type_name = "unknown";
  }
  if (const Reply* reply = reply_of(ttl, "PTTL", state))
    state.ttl_ms = reply->integer;
  else
    state.expiry_problem = ttl.reply.text;
}

// True if an answer is missing: the state then says so.
bool take_loss(std::span<const Exchange> exchanges, IfLost if_lost, KeyState& state) {
  if (if_lost == IfLost::fail || state.is_lost) return state.is_lost;
  for (const Exchange& exchange : exchanges) {
    if (exchange.state == Exchange::State::replied) continue;
    const std::string key = state.key;
    state = {};
    state.key = key;
    state.type_name = "unknown";
    state.problem = exchange.problem;
    return state.is_lost = true;
  }
  return false;
}

// Index of the n-th oldest entry, for LINDEX.
std::string index_of(const KeyState& state, std::int64_t nth) {
  return std::to_string(state.newest_first ? -1 - nth : nth);
}

Task<std::optional<std::int64_t>> read_nth(Redis& redis, const KeyState& state, std::int64_t nth) {
  const Reply reply =
      co_await ask(redis, encode_command("LINDEX", state.key, index_of(state, nth)));
  co_return time_of(reply.text);
}

// Bisection for the oldest entry after the horizon; a log is sorted.
Task<LiveEntries> bisect_list(Redis& redis, const KeyState& state, std::int64_t horizon_us) {
  std::int64_t first = 0, end = state.length;
  LiveEntries live;
  while (first < end) {
    const std::int64_t middle = first + (end - first) / 2;
    const auto at_us = co_await read_nth(redis, state, middle);
    if (at_us && *at_us > horizon_us) {
      end = middle;
      live.oldest_us = at_us;
    } else {
      first = middle + 1;
    }
  }
  live.count = state.length - first;
  co_return live;
}

Task<LiveEntries> count_zset(Redis& redis, const KeyState& state, std::int64_t horizon_us) {
  const std::string from = "(" + score_at(state.time_unit, horizon_us);
  LiveEntries live;
  live.count = (co_await ask(redis, encode_command("ZCOUNT", state.key, from, "+inf"))).integer;
  const Reply oldest = co_await ask(redis, encode_command("ZRANGEBYSCORE", state.key, from, "+inf",
                                                          "WITHSCORES", "LIMIT", "0", "1"));
  if (oldest.elements.size() == 2) live.oldest_us = time_of(oldest.elements[1].text);
  co_return live;
}

// All keys of one small number may be one object (OBJ_SHARED_INTEGERS in Redis), whose idle time
// says nothing of a key.
bool may_be_shared(const KeyState& state) {
  constexpr std::size_t kMostDigits = 4;
  return state.encoding == "int" && state.value.size() <= kMostDigits;
}

}  // namespace

Task<KeyState> read_key_state(Redis& redis, std::string key, std::int64_t most_entries,
                              IfLost if_lost) {
  most_entries = std::max(most_entries, kGlance + 1);
  KeyState state;
  state.key = key;
  std::vector<std::string> about;
  about.push_back(encode_command("OBJECT", "ENCODING", key));
  about.push_back(encode_command("OBJECT", "IDLETIME", key));
  about.push_back(encode_command("MEMORY", "USAGE", key));
  about.push_back(encode_command("TYPE", key));
  about.push_back(encode_command("PTTL", key));
  const std::vector<Exchange> answers = co_await send_all(redis, std::move(about));
  if (take_loss(answers, if_lost, state)) co_return state;
  take_type(answers[3], answers[4], state);
  if (!state.exists()) co_return state;
  if (const Reply* reply = reply_of(answers[0], "OBJECT ENCODING", state))
    state.encoding = reply->text;
  if (const Reply* reply = reply_of(answers[1], "OBJECT IDLETIME", state))
    if (reply->is_integer()) state.idle_s = reply->integer;
  if (const Reply* reply = reply_of(answers[2], "MEMORY USAGE", state))
    if (reply->is_integer()) state.memory_bytes = reply->integer;
  const std::vector<Exchange> content =
      co_await send_all(redis, content_commands(state, most_entries));
  if (!take_loss(content, if_lost, state)) take_content(content, state);
  if (may_be_shared(state)) state.idle_s = -1;
  co_return state;
}

Task<std::vector<KeyState>> glance_at(Redis& redis, std::vector<std::string> keys, IfLost if_lost) {
  std::vector<std::string> commands;
  for (const std::string& key : keys) {
    commands.push_back(encode_command("TYPE", key));
    commands.push_back(encode_command("PTTL", key));
  }
  const std::vector<Exchange> types = co_await send_all(redis, std::move(commands));
  std::vector<KeyState> states(keys.size());
  commands.clear();
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    states[i].key = std::move(keys[i]);
    if (!take_loss(std::span(types).subspan(2 * i, 2), if_lost, states[i]))
      take_type(types[2 * i], types[2 * i + 1], states[i]);
    for (std::string& command : content_commands(states[i], kGlance))
      commands.push_back(std::move(command));
    ends.push_back(commands.size());
  }
  const std::vector<Exchange> contents = co_await send_all(redis, std::move(commands));
  for (std::size_t i = 0, begin = 0; i < states.size(); begin = ends[i++]) {
    const auto content = std::span(contents).subspan(begin, ends[i] - begin);
    if (!take_loss(content, if_lost, states[i])) take_content(content, states[i]);
  }
  co_return states;
}

Task<LiveEntries> read_live_entries(Redis& redis, KeyState state, std::int64_t horizon_us) {
  if (static_cast<std::int64_t>(state.entries.size()) < state.length) {
    if (state.type == StateType::zset) co_return co_await count_zset(redis, state, horizon_us);
    co_return co_await bisect_list(redis, state, horizon_us);
  }
  LiveEntries live;
  for (const Entry& entry : state.entries) {
    if (!entry.at_us || *entry.at_us <= horizon_us) continue;
    ++live.count;
    if (!live.oldest_us || *entry.at_us < *live.oldest_us) live.oldest_us = entry.at_us;
  }
  co_return live;
}

// Redis says redis_mode, Valkey server_mode.
Task<bool> leave_idle_times_alone(Redis& redis) {
  const Exchange info = co_await redis.send(encode_command("INFO", "server"));
  if (info.reply.text.find("_mode:standalone\r") == std::string::npos) co_return false;
  const Exchange exchange = co_await redis.send(encode_command("CLIENT", "NO-TOUCH", "ON"));
  co_return exchange.has_answer();
}

Task<ServerTime> read_time(Redis& redis) {
  const Exchange exchange = co_await redis.send(encode_command("TIME"));
  if (is_permission_error(exchange.reply)) co_return ServerTime{now_us(), false};
  const Reply& reply = reply_or_throw(exchange);
  if (reply.elements.size() != 2) co_return ServerTime{now_us(), false};
  const auto seconds = parse_whole<std::int64_t>(reply.elements[0].text);
  const auto rest_us = parse_whole<std::int64_t>(reply.elements[1].text);
  co_return ServerTime{seconds.value_or(0) * kSecondUs + rest_us.value_or(0), true};
}

}  // namespace rlctl
