#include "limiter/keyspace.h"

#include "core/error.h"
#include "io/batch.h"
#include "io/command.h"
#include "io/redis_error.h"

namespace rlctl {
namespace {

// Small enough that no other client waits: 500 took up to 12 ms on 300,000 keys.
constexpr const char* kPageKeys = "250";

bool may_be_limiters(std::string_view type) {
  return type == "string" || type == "list" || type == "zset" || type == "hash";
}

const Reply& answer(const Exchange& exchange) {
  if (exchange.state != Exchange::State::replied) reply_or_throw(exchange);
  return exchange.reply;
}

RemovedKey checked(std::string key, const Reply& type) {
  if (type.is_error()) return {std::move(key), Removal::refused, type.text};
  if (type.text == "none") return {std::move(key), Removal::absent, {}};
  if (!may_be_limiters(type.text)) return {std::move(key), Removal::of_other_type, type.text};
  return {std::move(key), Removal::removed, {}};
}

}  // namespace

Task<std::vector<std::string>> KeyScan::next() {
  const Reply reply =
      co_await ask(redis_, encode_command("SCAN", cursor_, "MATCH", pattern_, "COUNT", kPageKeys));
  if (reply.elements.size() != 2) throw Error(Exit::target, "SCAN gave no cursor and keys");
  cursor_ = reply.elements[0].text;
  done_ = cursor_ == "0";
  std::vector<std::string> keys;
  for (const Reply& element : reply.elements[1].elements)
    if (seen_.insert(element.text).second) keys.push_back(element.text);
  co_return keys;
}

Task<std::vector<bool>> find_existing(Redis& redis, std::vector<std::string> keys) {
  std::vector<std::string> commands;
  for (const std::string& key : keys) commands.push_back(encode_command("EXISTS", key));
  std::vector<bool> found;
  for (const Exchange& exchange : co_await send_all(redis, std::move(commands)))
    found.push_back(answer(exchange).is_error() || exchange.reply.integer > 0);
  co_return found;
}

Task<bool> is_cluster_node(Redis& redis) {
  const Exchange exchange = co_await redis.send(encode_command("CLUSTER", "INFO"));
  const Reply& reply = answer(exchange);
  co_return !reply.is_error() && reply.text.starts_with("cluster_");
}

Task<std::vector<RemovedKey>> check_removable(Redis& redis, std::vector<std::string> keys) {
  std::vector<std::string> commands;
  for (const std::string& key : keys) commands.push_back(encode_command("TYPE", key));
  const std::vector<Exchange> types = co_await send_all(redis, std::move(commands));
  std::vector<RemovedKey> result;
  for (std::size_t i = 0; i < keys.size(); ++i)
    result.push_back(checked(std::move(keys[i]), answer(types[i])));
  co_return result;
}

Task<std::vector<RemovedKey>> remove_keys(Redis& redis, std::vector<std::string> keys) {
  std::vector<RemovedKey> result = co_await check_removable(redis, std::move(keys));
  // One UNLINK a key, all in flight at once: in a cluster, keys of one command must share a slot.
  std::vector<std::string> commands;
  std::vector<RemovedKey*> asked;
  for (RemovedKey& removed : result) {
    if (removed.what != Removal::removed) continue;
    commands.push_back(encode_command("UNLINK", removed.key));
    asked.push_back(&removed);
  }
  const std::vector<Exchange> exchanges = co_await send_all(redis, std::move(commands));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Reply& reply = answer(exchanges[i]);
    if (reply.is_error()) {
      asked[i]->what = Removal::refused;
      asked[i]->words = reply.text;
    } else if (reply.integer == 0) {
      asked[i]->what = Removal::absent;
    }
  }
  co_return result;
}

}  // namespace rlctl
