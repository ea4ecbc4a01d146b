#include "run/explore/model/redis_model.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "io/redis/script_sha1.h"
#include "limiter/lua/lua_value.h"

namespace rlctl {
namespace {

// The model's own commands; how they run is decided by name.
constexpr ModelCommand kOwnCommands[] = {
    {"multi", 1, nullptr},    {"exec", 1, nullptr},    {"discard", 1, nullptr},
    {"watch", -2, nullptr},   {"unwatch", 1, nullptr}, {"eval", -3, nullptr},
    {"evalsha", -3, nullptr}, {"script", -2, nullptr},
};

using Table = std::map<std::string_view, ModelCommand>;

Table make_table() {
  Table table;
  for (const auto commands : {std::span<const ModelCommand>(kOwnCommands), key_commands(),
                              string_commands(), list_commands(), hash_commands(), set_commands(),
                              zset_commands(), zset_range_commands(), zset_combination_commands()})
    for (const ModelCommand& command : commands) table.emplace(command.name, command);
  return table;
}

const ModelCommand& find_command(const std::string& name) {
  static const Table table = make_table();
  const auto command = table.find(name);
  if (command == table.end())
    throw Error(Exit::usage, "the model of Redis does not know the command " + in_quotes(name),
                "`rlctl simulate` plays the script on a real Redis");
  return command->second;
}

bool has_arity(const ModelCommand& command, std::size_t words) {
  const auto count = static_cast<int>(words);
  return command.arity < 0 ? count >= -command.arity : count == command.arity;
}

bool is_immediate(const std::string& name) {
  return name == "multi" || name == "exec" || name == "discard" || name == "watch";
}

}  // namespace

Reply RedisModel::execute(std::size_t client, const Words& command) {
  Words words = command;
  words.at(0) = lower_case(words[0]);
  Reply reply = dispatch(client, words);
  mark_watchers();
  return reply;
}

void RedisModel::advance_to(std::int64_t now_us) {
  keyspace_.advance_to(now_us);
  mark_watchers();
}

bool RedisModel::watches(const std::string& key) const {
  return std::any_of(clients_.begin(), clients_.end(),
                     [&](const Client& client) { return client.watched.contains(key); });
}

Reply RedisModel::dispatch(std::size_t client, const Words& words) {
  Client& who = clients_[client];
  const ModelCommand& command = find_command(words[0]);
  if (!has_arity(command, words.size())) {
    const std::string problem = "wrong number of arguments for '" + words[0] + "' command";
    who.aborted = who.in_transaction;
    if (words[0] != "exec") return error_reply("ERR " + problem);
    who = {};
    return error_reply("EXECABORT Transaction discarded because of: " + problem);
  }
  if (who.in_transaction && !is_immediate(words[0])) {
    who.queue.push_back(words);
    return status_reply("QUEUED");
  }
  if (is_immediate(words[0]) || words[0] == "unwatch") return transaction(who, words);
  return run(words);
}

Reply RedisModel::transaction(Client& client, const Words& words) {
  const std::string& name = words[0];
  if (name == "multi") {
    if (client.in_transaction) return error_reply("ERR MULTI calls can not be nested");
    client.in_transaction = true;
  } else if (name == "watch") {
    if (client.in_transaction) return error_reply("ERR WATCH inside MULTI is not allowed");
    client.watched.insert(words.begin() + 1, words.end());
  } else if (name == "unwatch") {
    client.watched.clear();
    client.dirty = false;
  } else if (!client.in_transaction) {
    return error_reply(name == "exec" ? "ERR EXEC without MULTI" : "ERR DISCARD without MULTI");
  } else if (name == "exec") {
    return execute_queue(client);
  } else {
    client = {};
  }
  return status_reply("OK");
}

Reply RedisModel::execute_queue(Client& client) {
  const Client done = std::exchange(client, {});
  if (done.aborted)
    return error_reply("EXECABORT Transaction discarded because of previous errors.");
  if (done.dirty) return nil_reply();
  std::vector<Reply> replies;
  for (const Words& words : done.queue)
    replies.push_back(words[0] == "unwatch" ? status_reply("OK") : run(words));
  return array_reply(std::move(replies));
}

Reply RedisModel::run(const Words& words) {
  try {
    if (words[0] == "eval" || words[0] == "evalsha") return evaluate(words);
    if (words[0] == "script") return script_command(words);
    ModelCall call{keyspace_, words};
    Reply reply = find_command(words[0]).run(call);
    keyspace_.drop_expired();
    return reply;
  } catch (const CommandRefused& refused) {
    return error_reply(refused.text);
  }
}

Reply RedisModel::evaluate(const Words& words) {
  const std::int64_t keys = to_integer(words[2]);
  const auto rest = static_cast<std::int64_t>(words.size()) - 3;
  if (keys > rest) throw CommandRefused{"ERR Number of keys can't be greater than number of args"};
  if (keys < 0) throw CommandRefused{"ERR Number of keys can't be negative"};
  std::string text = words[1];
  if (words[0] == "evalsha") {
    const auto script = scripts_.find(lower_case(words[1]));
    if (script == scripts_.end())
      throw CommandRefused{"NOSCRIPT No matching script. Please use EVAL."};
    text = script->second;
  }
  if (evaluator_ == nullptr)
    throw Error(Exit::usage, "this model of Redis runs no scripts", "it was created without Lua");
  scripts_.emplace(script_sha1(text), text);
  const auto first_key = words.begin() + 3;
  return evaluator_->evaluate(
      text, Words(first_key, first_key + keys), Words(first_key + keys, words.end()),
      [this](const Words& command) {
        Words inner = command;
        inner.at(0) = lower_case(inner[0]);
        const ModelCommand& known = find_command(inner[0]);
        if (known.run == nullptr)
          return error_reply("ERR This Redis command is not allowed from script");
        if (!has_arity(known, inner.size()))
          return error_reply("ERR Wrong number of args calling Redis command from script");
        return run(inner);
      });
}

Reply RedisModel::script_command(const Words& words) {
  const std::string name = lower_case(words[1]);
  if (name == "load" && words.size() == 3) {
    scripts_.emplace(script_sha1(words[2]), words[2]);
    return text_reply(script_sha1(words[2]));
  }
  if (name == "flush" && words.size() == 2) {
    scripts_.clear();
    return status_reply("OK");
  }
  if (name != "exists" || words.size() < 3)
    throw Error(Exit::usage, "the model of Redis does not know this SCRIPT command",
                "it knows LOAD, EXISTS and FLUSH");
  std::vector<Reply> known;
  for (std::size_t i = 2; i < words.size(); ++i)
    known.push_back(integer_reply(scripts_.contains(lower_case(words[i])) ? 1L : 0L));
  return array_reply(std::move(known));
}

void RedisModel::mark_watchers() {
  for (const std::string& key : keyspace_.take_touched())
    for (Client& client : clients_)
      if (client.watched.contains(key)) client.dirty = true;
}

std::string RedisModel::fingerprint() const {
  std::string bytes;
  keyspace_.append_fingerprint(bytes);
  for (const Client& client : clients_) {
    put_number(bytes, client.in_transaction + 2 * client.aborted + 4 * client.dirty);
    put_number(bytes, static_cast<std::int64_t>(client.queue.size()));
    for (const Words& words : client.queue) {
      put_number(bytes, static_cast<std::int64_t>(words.size()));
      for (const std::string& word : words) put_text(bytes, word);
    }
    put_number(bytes, static_cast<std::int64_t>(client.watched.size()));
    for (const std::string& key : client.watched) put_text(bytes, key);
  }
  for (const auto& [sha1, text] : scripts_) put_text(bytes, sha1);
  return bytes;
}

}  // namespace rlctl
