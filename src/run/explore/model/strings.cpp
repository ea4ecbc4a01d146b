// Commands on strings.
#include <cmath>
#include <optional>

#include "run/explore/model/command.h"

namespace rlctl {
namespace {

Reply value_of(ModelCall& call) {
  const std::string* const value = call.find<std::string>();
  return value == nullptr ? nil_reply() : text_reply(*value);
}

struct SetOptions {
  bool nx = false, xx = false, get = false, keep_ttl = false;
  std::optional<std::int64_t> expires_ms;
};

struct ExpiryOption {
  const char* name;
  std::int64_t unit_ms;
  bool relative;
};

const ExpiryOption* expiry_option(const std::string& word) {
  static constexpr ExpiryOption kOptions[] = {
      {"ex", 1000, true}, {"px", 1, true}, {"exat", 1000, false}, {"pxat", 1, false}};
  for (const ExpiryOption& option : kOptions)
    if (word == option.name) return &option;
  return nullptr;
}

// Checks the words first and the number last, as Redis does.
SetOptions set_options(const ModelCall& call) {
  SetOptions options;
  const ExpiryOption* expiry = nullptr;
  std::size_t expiry_word = 0;
  for (std::size_t i = 3; i < call.words.size(); ++i) {
    const std::string word = lower_case(call.words[i]);
    if (word == "nx" && !options.xx) {
      options.nx = true;
    } else if (word == "xx" && !options.nx) {
      options.xx = true;
    } else if (word == "get") {
      options.get = true;
    } else if (word == "keepttl" && expiry == nullptr) {
      options.keep_ttl = true;
    } else if (expiry_option(word) != nullptr && expiry == nullptr && !options.keep_ttl &&
               i + 1 < call.words.size()) {
      expiry = expiry_option(word);
      expiry_word = ++i;
    } else {
      throw CommandRefused{kSyntaxError};
    }
  }
  if (expiry != nullptr)
    options.expires_ms =
        expiry_of(call, call.words[expiry_word], expiry->unit_ms, expiry->relative, false);
  return options;
}

Reply set(ModelCall& call) {
  const SetOptions options = set_options(call);
  Reply old = options.get ? value_of(call) : nil_reply();
  ModelEntry* const entry = call.keys.find(call.key());
  if ((options.nx && entry != nullptr) || (options.xx && entry == nullptr)) return old;
  const std::int64_t kept = entry != nullptr ? entry->expires_ms : kNeverExpires;
  ModelEntry& made = call.keys.put(call.key(), call.words[2]);
  if (options.keep_ttl) made.expires_ms = kept;
  if (options.expires_ms) made.expires_ms = *options.expires_ms;
  call.touch();
  return options.get ? old : status_reply("OK");
}

Reply set_if_absent(ModelCall& call) {
  if (call.keys.find(call.key()) != nullptr) return integer_reply(0L);
  call.keys.put(call.key(), call.words[2]);
  call.touch();
  return integer_reply(1L);
}

Reply set_expiring(ModelCall& call, std::int64_t unit_ms) {
  const std::int64_t at_ms = expiry_of(call, call.words[2], unit_ms, true, false);
  call.keys.put(call.key(), call.words[3]).expires_ms = at_ms;
  call.touch();
  return status_reply("OK");
}

Reply set_expiring_s(ModelCall& call) { return set_expiring(call, 1000); }
Reply set_expiring_ms(ModelCall& call) { return set_expiring(call, 1); }

Reply get_and_set(ModelCall& call) {
  Reply old = value_of(call);
  call.keys.put(call.key(), call.words[2]);
  call.touch();
  return old;
}

Reply get_and_remove(ModelCall& call) {
  Reply old = value_of(call);
  if (call.keys.erase(call.key())) call.touch();
  return old;
}

Reply get_many(ModelCall& call) {
  std::vector<Reply> values;
  for (std::size_t i = 1; i < call.words.size(); ++i) {
    const ModelEntry* const entry = call.keys.find(call.words[i]);
    const auto* const text = entry == nullptr ? nullptr : std::get_if<std::string>(&entry->value);
    values.push_back(text == nullptr ? nil_reply() : text_reply(*text));
  }
  return array_reply(std::move(values));
}

Reply set_many(ModelCall& call) {
  if (call.words.size() % 2 == 0) throw CommandRefused{call.wrong_arity()};
  for (std::size_t i = 1; i < call.words.size(); i += 2) {
    call.keys.put(call.words[i], call.words[i + 1]);
    call.keys.touch(call.words[i]);
  }
  return status_reply("OK");
}

Reply string_length(ModelCall& call) {
  const std::string* const value = call.find<std::string>();
  return integer_reply(value == nullptr ? 0 : value->size());
}

Reply append(ModelCall& call) {
  std::string& value = call.find_or_make<std::string>();
  value += call.words[2];
  call.touch();
  return integer_reply(value.size());
}

Reply add_amount(ModelCall& call, std::int64_t amount) {
  const std::string* const value = call.find<std::string>();
  const std::int64_t sum = checked_sum(value == nullptr ? 0 : to_integer(*value), amount);
  call.find_or_make<std::string>() = std::to_string(sum);
  call.touch();
  return integer_reply(sum);
}

Reply increment(ModelCall& call) { return add_amount(call, 1); }
Reply decrement(ModelCall& call) { return add_amount(call, -1); }
Reply increment_by(ModelCall& call) { return add_amount(call, to_integer(call.words[2])); }

Reply decrement_by(ModelCall& call) {
  const std::int64_t amount = to_integer(call.words[2]);
  if (amount == INT64_MIN) throw CommandRefused{"ERR decrement would overflow"};
  return add_amount(call, -amount);
}

Reply increment_by_float(ModelCall& call) {
  const std::string* const value = call.find<std::string>();
  const long double old = value == nullptr ? 0 : to_long_double(*value);
  const long double sum = old + to_long_double(call.words[2]);
  if (!std::isfinite(sum)) throw CommandRefused{"ERR increment would produce NaN or Infinity"};
  call.find_or_make<std::string>() = format_sum(sum);
  call.touch();
  return text_reply(format_sum(sum));
}

constexpr ModelCommand kStringCommands[] = {
    {"get", 2, value_of},           {"set", -3, set},
    {"setnx", 3, set_if_absent},    {"setex", 4, set_expiring_s},
    {"psetex", 4, set_expiring_ms}, {"getset", 3, get_and_set},
    {"getdel", 2, get_and_remove},  {"mget", -2, get_many},
    {"mset", -3, set_many},         {"strlen", 2, string_length},
    {"append", 3, append},          {"incr", 2, increment},
    {"decr", 2, decrement},         {"incrby", 3, increment_by},
    {"decrby", 3, decrement_by},    {"incrbyfloat", 3, increment_by_float},
};

}  // namespace

std::span<const ModelCommand> string_commands() { return kStringCommands; }

}  // namespace rlctl
