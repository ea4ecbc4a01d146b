#include "io/redis/keyspace.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/redis/command.h"
#include "io/redis/redis.h"
#include "io/redis/redis_error.h"
#include "io/redis/script_error.h"
#include "io/redis/script_sha1.h"

namespace rlctl {
namespace {

// Small enough that no other client waits: with 500, a call took up to 12 ms on 300,000 keys.
constexpr std::int64_t kPageKeys = 250;

}  // namespace

Task<ScanPage> scan_page(Redis& redis, std::string cursor, std::string pattern,
                         std::int64_t count) {
  const std::string wire =
      encode_command("SCAN", cursor, "MATCH", pattern, "COUNT", std::to_string(count));
  // Of what this user may not see nothing is known, as of a key that he may not read.
  const Exchange exchange = co_await redis.send(wire);
  Reply reply = reply_or_throw(exchange, Exit::inconclusive);
  if (reply.elements.size() != 2)
    throw Error(Exit::target, "the reply to SCAN has no cursor and keys");
  ScanPage page{std::move(reply.elements[0].text), {}};
  for (Reply& element : reply.elements[1].elements) page.keys.push_back(std::move(element.text));
  co_return page;
}

Task<std::optional<std::int64_t>> count_keys(Redis& redis) {
  const Exchange exchange = co_await redis.send(encode_command("DBSIZE"));
  if (exchange.state != Exchange::State::replied || !exchange.reply.is_integer())
    co_return std::nullopt;
  co_return exchange.reply.integer;
}

Task<std::vector<std::string>> KeyScan::next() {
  struct Place {
    KeyScan& scan;
    bool await_ready() const noexcept { return !std::exchange(scan.asking_, true); }
    void await_suspend(std::coroutine_handle<> awaiting) { scan.waiting_.push_back(awaiting); }
    void await_resume() const noexcept {}
  };
  co_await Place{*this};
  std::vector<std::string> keys;
  try {
    keys = co_await ask_for_page();
  } catch (const Error&) {
    done_ = true;
    let_next_ask();
    throw;
  }
  let_next_ask();
  co_return keys;
}

Task<std::vector<std::string>> KeyScan::ask_for_page() {
  if (done() || (turn_ && !co_await turn_())) co_return std::vector<std::string>();
  ScanPage page = co_await scan_page(redis_, cursor_, pattern_, kPageKeys);
  passed_ += kPageKeys;
  done_ = page.cursor == "0";
  cursor_ = std::move(page.cursor);
  co_return std::move(page.keys);
}

void KeyScan::let_next_ask() {
  asking_ = !waiting_.empty();
  if (!asking_) return;
  const std::coroutine_handle<> next = waiting_.front();
  waiting_.pop_front();
  next.resume();
}

namespace {

Task<> look_at_some_pages(Loop& loop, KeyScan& scan, const LookAtKeys& look) {
  while (!scan.done() && !loop.interrupted()) {
    std::vector<std::string> keys = co_await scan.next();
    try {
      if (!keys.empty() && !scan.is_stopped()) co_await look(std::move(keys));
    } catch (...) {
      scan.stop();
      throw;
    }
  }
}

}  // namespace

// While one page's answers are read, Redis needs something to do: with three at once it waited for
// a third of the time, with six it does not.
Task<> look_at_pages(Loop& loop, KeyScan& scan, LookAtKeys look) {
  constexpr int kAtOnce = 6;
  for (int i = 0; i < kAtOnce; ++i) loop.spawn(look_at_some_pages(loop, scan, look));
  co_await loop.join();
}

namespace {

bool is_command_refused(const Exchange& exchange) {
  return exchange.is_refused() && is_permission_error(exchange.reply) &&
         !is_key_permission_error(exchange.reply);
}

Existence existence_by(const Exchange& exchange) {
  if (exchange.state != Exchange::State::replied) return Existence::unknown;
  const Reply& reply = exchange.reply;
  const bool may_exist = reply.is_error()     ? !is_key_permission_error(reply)
                         : reply.is_integer() ? reply.integer > 0
                                              : reply.text != "none";
  return may_exist ? Existence::exists : Existence::absent;
}

Task<std::vector<Exchange>> ask_of_each(Redis& redis, const char* command,
                                        const std::vector<std::string>& keys) {
  std::vector<std::string> commands;
  for (const std::string& key : keys) commands.push_back(encode_command(command, key));
  co_return co_await send_all(redis, std::move(commands));
}

}  // namespace

Task<std::vector<Existence>> find_existing(Redis& redis, std::vector<std::string> keys) {
  std::vector<Exchange> answers = co_await ask_of_each(redis, "EXISTS", keys);
  std::vector<std::string> refused;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (is_command_refused(answers[i])) refused.push_back(keys[i]);
  const std::vector<Exchange> types = co_await ask_of_each(redis, "TYPE", refused);
  auto type = types.begin();
  for (Exchange& one : answers)
    if (is_command_refused(one)) one = *type++;
  std::vector<Existence> found;
  for (const Exchange& one : answers) found.push_back(existence_by(one));
  co_return found;
}

RemovedKey of_other_type(std::string key, const std::string& type) {
  return {std::move(key), Removal::of_other_type, "no limiter uses a " + type};
}

namespace {

// ARGV: the type and the content that were seen, if any. Returns the number of keys removed, or why
// it is none.
constexpr std::string_view kRemove = R"lua(
local key, kind = KEYS[1], redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return 0 end
if not ({string = 1, list = 1, zset = 1, hash = 1})[kind] then return kind end
local same = #ARGV < 2
if kind == 'string' and not same then
  local value = redis.call('GETRANGE', key, 0, last_seen)
  same = value == ARGV[2] or (tonumber(value) and tonumber(ARGV[2]))
end
for i = 2, #ARGV do
  same = same or (kind == 'hash' and redis.call('HEXISTS', key, ARGV[i]) == 1)
end
if ARGV[1] and ARGV[1] ~= kind or not same then return 'changed' end
return redis.call('UNLINK', key)
)lua";

// The text, or its name for a server that has it.
std::string removal_of(const std::string& key, const SeenKeys& seen, bool by_name) {
  static const std::string kText =
      "local last_seen = " + std::to_string(kSeenBytes - 1) + std::string(kRemove);
  static const std::string kName = script_sha1(kText);
  std::vector<std::string> words{"EVAL", kText, "1", key};
  if (by_name) words = {"EVALSHA", kName, "1", key};
  if (const auto known = seen.find(key); known != seen.end())
    words.insert(words.end(), known->second.begin(), known->second.end());
  return encode_command(words);
}

RemovedKey removed(std::string key, const Exchange& exchange) {
  const Reply& reply = exchange.reply;
  if (exchange.state != Exchange::State::replied)
    return {std::move(key), Removal::unknown, exchange.problem};
  if (reply.is_error()) {
    std::string words = read_script_error(reply.text).message;
    if (words.starts_with("ERR The user executing")) words += ": TYPE, GETRANGE, HEXISTS or UNLINK";
    return {std::move(key), Removal::refused, std::move(words)};
  }
  if (reply.is_integer())
    return {std::move(key), reply.integer == 0 ? Removal::absent : Removal::removed, {}};
  if (reply.text == "changed")
    return {std::move(key), Removal::refused, std::string(kChangedSinceShown)};
  return of_other_type(std::move(key), reply.text);
}

}  // namespace

// One command per key, all in flight at once: in a cluster, the keys of one command must share a
// slot. A server that has not got the script, or may not be asked for it by name, gets its text.
Task<std::vector<RemovedKey>> remove_keys(Redis& redis, std::vector<std::string> keys,
                                          SeenKeys seen) {
  std::vector<std::string> commands, texts;
  for (const std::string& key : keys) commands.push_back(removal_of(key, seen, true));
  std::vector<Exchange> exchanges = co_await send_all(redis, std::move(commands));
  const auto needs_text = [](const Exchange& exchange) {
    return exchange.is_refused() &&
           (error_code(exchange.reply) == "NOSCRIPT" || is_permission_error(exchange.reply));
  };
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (needs_text(exchanges[i])) texts.push_back(removal_of(keys[i], seen, false));
  std::vector<Exchange> again = co_await send_all(redis, std::move(texts));
  for (auto one = again.begin(); Exchange & exchange : exchanges)
    if (needs_text(exchange)) exchange = std::move(*one++);
  std::vector<RemovedKey> result;
  for (std::size_t i = 0; i < keys.size(); ++i)
    result.push_back(removed(std::move(keys[i]), exchanges[i]));
  co_return result;
}

}  // namespace rlctl
