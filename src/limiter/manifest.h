// What a script says of itself: the keys and arguments it wants, what its reply means and what it
// promises. Written in the script's opening comment (`-- rlctl: name = value`), in a file beside it
// or on the command line; the later of these replaces the earlier, name by name.
// Fails with Error(Exit::usage) that shows file:line and what would be right. Plain values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "policy/policy.h"

namespace rlctl {

// An argument by name, or a text in quotes handed over as it is. The now_* are the empty string
// when Redis is to tell the time.
enum class ArgumentKind : std::uint8_t {
  limit,
  cost,
  capacity,
  window_us,
  window_ms,
  window_s,
  window_ns,
  now_us,
  now_ms,
  now_s,
  now_ns,
  now_float_s,  // seconds with six decimals
  expires_ms,   // a window from now
  ttl_ms,
  ttl_s,
  rate_per_s,
  leak_ms,
  block_ms,
  uuid,
  literal,
};

// Whether it is the time, or changes with it.
bool tells_time(ArgumentKind kind);

struct Argument {
  ArgumentKind kind = ArgumentKind::literal;
  std::string literal;
  std::string name() const;  // empty for a literal
};

enum class ReplyField : std::uint8_t {
  skip,
  allowed,
  remaining,
  count,
  retry_after,
  decided,
  delay,
  reset,
};

// Either every value has an expression (Lua over `reply` and the arguments by name) or none has;
// without, the n-th value is the n-th element of the reply (a bare reply is its own first element).
struct ReplyValue {
  ReplyField field = ReplyField::skip;
  std::int64_t unit_us = 1;  // of the times: 1, 1000 or 1000000, from the name's ending
  std::string expression;
  std::string name;  // as written
};

enum class RunPlace : std::uint8_t { server, client };
inline constexpr Word<RunPlace> kRunPlaceWords[] = {{"server", RunPlace::server},
                                                    {"client", RunPlace::client}};
constexpr std::span<const Word<RunPlace>> words_of(RunPlace) { return kRunPlaceWords; }

// Who tells the time: Redis (unless now_* gives it), the now_* argument always, or the key's
// expiry.
enum class ClockSource : std::uint8_t { redis, argument, expiry };
inline constexpr Word<ClockSource> kClockSourceWords[] = {{"redis", ClockSource::redis},
                                                          {"argument", ClockSource::argument},
                                                          {"expiry", ClockSource::expiry}};
constexpr std::span<const Word<ClockSource>> words_of(ClockSource) { return kClockSourceWords; }

// How to read the first key, for people and for `inspect`: `TYPE: name, name; words`.
//   string  the numbers in the value, in order       hash  its fields
//   list    every entry, newest last                 zset  every score
// Names that end in _us, _ms or _s and begin with `at` are times since 1970.
enum class StateType : std::uint8_t { none, string, hash, list, zset };
struct State {
  StateType type = StateType::none;
  std::vector<std::string> names;
  std::string words;
};

struct Manifest {
  std::string name;
  std::string summary;            // the first sentence of the script's comment
  std::vector<std::string> keys;  // templates
  std::vector<Argument> args;
  std::vector<ReplyValue> reply;
  ContractKind contract = ContractKind::none;
  bool counts_denied = false;
  RunPlace run = RunPlace::server;
  ClockSource clock = ClockSource::expiry;
  State state;
  // Lua over the state's names, `length` and `live` (entries, and those younger than the window),
  // limit, capacity, window_us, now_us: how much of the limit is used, and the µs until one more is
  // admitted.
  std::string used;
  std::string frees_us;
  std::string cost;  // of a decision, in words: O(1)
  std::string flaw;  // specimens: what is wrong with it

  bool takes(ArgumentKind kind) const;
  bool takes_now() const;     // an argument that tells the time
  bool is_told_time() const;  // it takes now, or a key names its window: the virtual clock will do
  bool replies_expressions() const;
  bool reports(ReplyField field) const;
};

// A manifest's source. `name` is the file's, for messages.
struct ManifestText {
  std::string name;
  std::string text;
};

// `script`: the manifest is in the comment it opens with. `beside` and `given` hold bare `name =
// value` lines (blank lines and lines that begin with # or -- are skipped), and may be empty.
Manifest parse_manifest(const ManifestText& script, const ManifestText& beside = {},
                        const ManifestText& given = {});

// Splits at commas outside of brackets and quotes; the parts are trimmed.
std::vector<std::string> split_at_commas(std::string_view text);

}  // namespace rlctl
