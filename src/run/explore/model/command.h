// The commands of a modelled Redis: a table of name, arity and function, with one file per type of
// value. A command refuses by throwing CommandRefused, whose text is the error reply. What the
// model does not know throws Error(Exit::usage). Part of RedisModel (redis_model.h). One thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/redis/reply.h"
#include "run/explore/model/keyspace.h"

namespace rlctl {

using Words = std::vector<std::string>;

// Redis's error texts; scripts may compare them.
struct CommandRefused {
  std::string text;
};
inline constexpr const char* kNotAnInteger = "ERR value is not an integer or out of range";
inline constexpr const char* kNotAFloat = "ERR value is not a valid float";
inline constexpr const char* kSyntaxError = "ERR syntax error";
inline constexpr const char* kNotPositive = "ERR value is out of range, must be positive";
inline constexpr const char* kOverflow = "ERR increment or decrement would overflow";
inline constexpr const char* kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

struct ModelCall {
  ModelKeyspace& keys;
  const Words& words;  // the first word is the command's name in lower case

  const std::string& key() const { return words[1]; }
  std::string wrong_arity() const {
    return "ERR wrong number of arguments for '" + words[0] + "' command";
  }

  // Null if there is no such key; refuses another type.
  template <class Type>
  Type* find() {
    ModelEntry* const entry = keys.find(key());
    if (entry == nullptr) return nullptr;
    Type* const value = std::get_if<Type>(&entry->value);
    if (value == nullptr) throw CommandRefused{kWrongType};
    return value;
  }
  template <class Type>
  Type& find_or_make() {
    Type* const value = find<Type>();
    return value != nullptr ? *value : std::get<Type>(keys.put(key(), Type()).value);
  }
  void touch() { keys.touch(key()); }
};

struct ModelCommand {
  std::string_view name;  // in lower case
  int arity;              // number of words with the name; negative: at least that many
  Reply (*run)(ModelCall& call);
};

std::span<const ModelCommand> key_commands();
std::span<const ModelCommand> string_commands();
std::span<const ModelCommand> list_commands();
std::span<const ModelCommand> hash_commands();
std::span<const ModelCommand> set_commands();
std::span<const ModelCommand> zset_commands();
std::span<const ModelCommand> zset_range_commands();
std::span<const ModelCommand> zset_combination_commands();

Reply nil_reply();
Reply integer_reply(std::int64_t number);
Reply integer_reply(std::size_t number);
Reply status_reply(std::string text);
Reply text_reply(std::string text);
Reply array_reply(std::vector<Reply> elements);

// Members of a sorted set, in the order of the reply, and such a result stored at the first key: an
// empty one removes the key.
using Members = std::vector<std::pair<double, std::string>>;
Reply listed(const Members& members, bool with_scores);
Reply store_zset(ModelCall& call, ModelZset zset);

std::string lower_case(std::string text);

// Parses numbers as Redis does: no blanks, no plus, no leading zeros. Otherwise throws `refusal`.
std::int64_t to_integer(const std::string& text, const char* refusal = kNotAnInteger);
bool reads_as_integer(const std::string& text, std::int64_t& number);
double to_double(const std::string& text, const char* refusal = kNotAFloat);
long double to_long_double(const std::string& text, const char* refusal = kNotAFloat);

// The sum, or a refusal if it does not fit in 64 bits.
std::int64_t checked_sum(std::int64_t a, std::int64_t b);

// Formats numbers as INCRBYFLOAT does, and as RESP2 does for scores.
std::string format_sum(long double number);
std::string format_score(double score);

// Redis's ranges: negative indexes count from the end; empty if nothing is left.
struct IndexRange {
  std::int64_t first = 0;
  std::int64_t last = -1;
};
IndexRange clip_range(std::int64_t first, std::int64_t last, std::size_t size);

// An absolute time in ms from EX, PX, EXAT or PXAT, or a refusal that names the command.
// `negative`: accept times in the past.
std::int64_t expiry_of(const ModelCall& call, const std::string& text, std::int64_t unit_ms,
                       bool relative, bool negative);

}  // namespace rlctl
