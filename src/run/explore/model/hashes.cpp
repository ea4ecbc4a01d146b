// Commands on hashes and sets.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "run/explore/model/command.h"

namespace rlctl {
namespace {

// Above these sizes Redis stores a hash as a hash table, and its order can't be predicted.
constexpr std::size_t kMostOrderedFields = 128;
constexpr std::size_t kMostOrderedBytes = 64;

std::string* field_of(ModelHash& hash, const std::string& name) {
  for (auto& [field, value] : hash)
    if (field == name) return &value;
  return nullptr;
}

// True if the field is new.
bool put_field(ModelHash& hash, const std::string& name, const std::string& value) {
  std::string* const held = field_of(hash, name);
  if (held == nullptr)
    hash.emplace_back(name, value);
  else
    *held = value;
  return held == nullptr;
}

std::int64_t put_fields(ModelCall& call) {
  if (call.words.size() % 2 != 0) throw CommandRefused{call.wrong_arity()};
  ModelHash& hash = call.find_or_make<ModelHash>();
  std::int64_t added = 0;
  for (std::size_t i = 2; i < call.words.size(); i += 2)
    added += put_field(hash, call.words[i], call.words[i + 1]) ? 1 : 0;
  call.touch();
  return added;
}

Reply hash_set(ModelCall& call) { return integer_reply(put_fields(call)); }

Reply hash_set_many(ModelCall& call) {
  put_fields(call);
  return status_reply("OK");
}

Reply hash_set_if_absent(ModelCall& call) {
  ModelHash* const hash = call.find<ModelHash>();
  if (hash != nullptr && field_of(*hash, call.words[2]) != nullptr) return integer_reply(0L);
  return integer_reply(put_fields(call));
}

Reply value_in(ModelHash* hash, const std::string& name) {
  const std::string* const value = hash == nullptr ? nullptr : field_of(*hash, name);
  return value == nullptr ? nil_reply() : text_reply(*value);
}

Reply hash_get(ModelCall& call) { return value_in(call.find<ModelHash>(), call.words[2]); }

Reply hash_get_many(ModelCall& call) {
  ModelHash* const hash = call.find<ModelHash>();
  std::vector<Reply> values;
  for (std::size_t i = 2; i < call.words.size(); ++i)
    values.push_back(value_in(hash, call.words[i]));
  return array_reply(std::move(values));
}

Reply list_all(ModelCall& call, bool names, bool values) {
  const ModelHash* const hash = call.find<ModelHash>();
  if (hash == nullptr) return array_reply({});
  std::vector<Reply> all;
  bool ordered = hash->size() <= kMostOrderedFields;
  for (const auto& [name, value] : *hash) {
    ordered = ordered && name.size() <= kMostOrderedBytes && value.size() <= kMostOrderedBytes;
    if (names) all.push_back(text_reply(name));
    if (values) all.push_back(text_reply(value));
  }
  if (!ordered)
    throw Error(Exit::usage, "a hash is too large: the model of Redis can't know its order",
                "ask for its fields by name (HMGET)");
  return array_reply(std::move(all));
}

Reply hash_get_all(ModelCall& call) { return list_all(call, true, true); }
Reply hash_names(ModelCall& call) { return list_all(call, true, false); }
Reply hash_values(ModelCall& call) { return list_all(call, false, true); }

Reply hash_remove(ModelCall& call) {
  ModelHash* const hash = call.find<ModelHash>();
  if (hash == nullptr) return integer_reply(0L);
  std::size_t removed = 0;
  for (std::size_t i = 2; i < call.words.size(); ++i)
    removed +=
        std::erase_if(*hash, [&](const auto& field) { return field.first == call.words[i]; });
  if (removed > 0) call.touch();
  call.keys.drop_if_empty(call.key());
  return integer_reply(removed);
}

Reply hash_exists(ModelCall& call) {
  ModelHash* const hash = call.find<ModelHash>();
  return integer_reply(hash != nullptr && field_of(*hash, call.words[2]) != nullptr ? 1L : 0L);
}

Reply hash_length(ModelCall& call) {
  const ModelHash* const hash = call.find<ModelHash>();
  return integer_reply(hash == nullptr ? 0 : hash->size());
}

Reply hash_increment(ModelCall& call) {
  const std::int64_t amount = to_integer(call.words[3]);
  const Reply old = hash_get(call);
  const std::int64_t held =
      old.is_nil() ? 0 : to_integer(old.text, "ERR hash value is not an integer");
  const std::int64_t sum = checked_sum(held, amount);
  put_field(call.find_or_make<ModelHash>(), call.words[2], std::to_string(sum));
  call.touch();
  return integer_reply(sum);
}

Reply hash_increment_by_float(ModelCall& call) {
  const long double amount = to_long_double(call.words[3]);
  if (std::isinf(amount)) throw CommandRefused{"ERR value is NaN or Infinity"};
  const Reply old = hash_get(call);
  const long double held =
      old.is_nil() ? 0 : to_long_double(old.text, "ERR hash value is not a float");
  const long double sum = held + amount;
  if (!std::isfinite(sum)) throw CommandRefused{"ERR increment would produce NaN or Infinity"};
  put_field(call.find_or_make<ModelHash>(), call.words[2], format_sum(sum));
  call.touch();
  return text_reply(format_sum(sum));
}

Reply set_add(ModelCall& call) {
  ModelSet& set_value = call.find_or_make<ModelSet>();
  std::int64_t added = 0;
  for (std::size_t i = 2; i < call.words.size(); ++i)
    added += set_value.insert(call.words[i]).second ? 1 : 0;
  if (added > 0) call.touch();
  return integer_reply(added);
}

Reply set_remove(ModelCall& call) {
  ModelSet* const set_value = call.find<ModelSet>();
  if (set_value == nullptr) return integer_reply(0L);
  std::size_t removed = 0;
  for (std::size_t i = 2; i < call.words.size(); ++i) removed += set_value->erase(call.words[i]);
  if (removed > 0) call.touch();
  call.keys.drop_if_empty(call.key());
  return integer_reply(removed);
}

Reply set_size(ModelCall& call) {
  const ModelSet* const set_value = call.find<ModelSet>();
  return integer_reply(set_value == nullptr ? 0 : set_value->size());
}

Reply set_contains(ModelCall& call) {
  const ModelSet* const set_value = call.find<ModelSet>();
  return integer_reply(set_value == nullptr ? 0 : set_value->count(call.words[2]));
}

constexpr ModelCommand kHashCommands[] = {
    {"hset", -4, hash_set},
    {"hmset", -4, hash_set_many},
    {"hsetnx", 4, hash_set_if_absent},
    {"hget", 3, hash_get},
    {"hmget", -3, hash_get_many},
    {"hgetall", 2, hash_get_all},
    {"hkeys", 2, hash_names},
    {"hvals", 2, hash_values},
    {"hdel", -3, hash_remove},
    {"hexists", 3, hash_exists},
    {"hlen", 2, hash_length},
    {"hincrby", 4, hash_increment},
    {"hincrbyfloat", 4, hash_increment_by_float},
};

// SMEMBERS and similar commands are missing: their order can't be predicted.
constexpr ModelCommand kSetCommands[] = {
    {"sadd", -3, set_add},
    {"srem", -3, set_remove},
    {"scard", 2, set_size},
    {"sismember", 3, set_contains},
};

}  // namespace

std::span<const ModelCommand> hash_commands() { return kHashCommands; }
std::span<const ModelCommand> set_commands() { return kSetCommands; }

}  // namespace rlctl
