// What a script says about itself: the keys and arguments it needs, what its reply means and what
// it promises. It is in the script's opening comment (`-- rlctl: name = value`), in a file beside
// it or on the command line; the later of these replaces the earlier, name by name. The manifest of
// a Redis command (`command = INCREX <key> UBOUND <limit>`) is all that there is of a limiter.
// Throws Error(Exit::usage), which shows file:line and what would be right. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "policy/rules_text.h"

namespace rlctl {

// An argument by name, or a quoted text that is passed as it is. The now_* arguments are the empty
// string if the script is to ask Redis for the time.
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
  expires_ms,   // the time one window from now
  ttl_ms,
  ttl_s,
  rate_per_s,
  emission_us,  // the time in which one more is admitted: window / limit
  emission_ms,
  emission_s,
  block_ms,
  uuid,         // of a finish: that of its decision
  actual_cost,  // of a finish: what was used
  literal,
};

inline constexpr Word<ArgumentKind> kArgumentKindWords[] = {
    {"limit", ArgumentKind::limit},
    {"cost", ArgumentKind::cost},
    {"capacity", ArgumentKind::capacity},
    {"window_us", ArgumentKind::window_us},
    {"window_ms", ArgumentKind::window_ms},
    {"window_s", ArgumentKind::window_s},
    {"window_ns", ArgumentKind::window_ns},
    {"now_us", ArgumentKind::now_us},
    {"now_ms", ArgumentKind::now_ms},
    {"now_s", ArgumentKind::now_s},
    {"now_ns", ArgumentKind::now_ns},
    {"now_float_s", ArgumentKind::now_float_s},
    {"expires_ms", ArgumentKind::expires_ms},
    {"ttl_ms", ArgumentKind::ttl_ms},
    {"ttl_s", ArgumentKind::ttl_s},
    {"rate_per_s", ArgumentKind::rate_per_s},
    {"emission_us", ArgumentKind::emission_us},
    {"emission_ms", ArgumentKind::emission_ms},
    {"emission_s", ArgumentKind::emission_s},
    {"block_ms", ArgumentKind::block_ms},
    {"uuid", ArgumentKind::uuid},
    {"actual_cost", ArgumentKind::actual_cost}};
constexpr std::span<const Word<ArgumentKind>> words_of(ArgumentKind) { return kArgumentKindWords; }

// Whether it is the time, or depends on it.
bool tells_time(ArgumentKind kind);

struct Argument {
  ArgumentKind kind = ArgumentKind::literal;
  std::string literal;
  std::string name() const;  // empty for a literal
  // A literal that contains <key>: filled in like the names of keys.
  bool is_template() const { return literal.find("<key>") != literal.npos; }
  bool operator==(const Argument&) const = default;
};

enum class ReplyField : std::uint8_t {
  skip,
  allowed,
  remaining,
  count,
  retry_after,
  decided,
  decided_from,
  delay,
  reset,
};

// Either every value has an expression (Lua over `reply` and the arguments by name) or none has.
// Without expressions, the n-th value is the n-th element of the reply; a reply that is not an
// array is its own first element.
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

// The source of the time: Redis (unless now_* gives it), always the now_* argument, or the key's
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
inline constexpr Word<StateType> kStateTypeWords[] = {{"string", StateType::string},
                                                      {"hash", StateType::hash},
                                                      {"list", StateType::list},
                                                      {"zset", StateType::zset}};
constexpr std::span<const Word<StateType>> words_of(StateType) { return kStateTypeWords; }
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
  // The words of a Redis command that is the limiter; empty: it is a script. What its words stand
  // for is in keys and args, too.
  std::vector<Argument> command;
  std::vector<ReplyValue> reply;
  std::string contract;  // rules in which `limit`, `window` and `capacity` are the policy's numbers
  RunPlace run = RunPlace::server;
  ClockSource clock = ClockSource::expiry;
  // How far its times may be off: the resolution of its clock, or the rounding of its arithmetic.
  std::optional<std::int64_t> tolerance_us;
  State state;
  // Lua over the state's names, `length` and `live` (the number of entries, and of those younger
  // than the window), limit, capacity, window_us, now_us. `used`: how much of the limit is used.
  // `frees_us`: the µs until one more is admitted.
  std::string used;
  std::string frees_us;
  // What is done before the first decision of a key, and at the end of the work: a script, by its
  // path relative to this one, or a Redis command, which has <key> in it.
  std::string setup;
  std::string finish;
  std::string cost;  // of a decision, in words: O(1)
  std::string flaw;  // specimens: what is wrong with it

  bool is_command() const { return !command.empty(); }
  bool takes(ArgumentKind kind) const;
  bool takes_now() const;      // an argument gives it the time
  bool names_window() const;   // a key does
  bool names_period() const;   // a key has the window in words: minute
  bool is_told_time() const;   // it takes now, or a key names its window: fit for the virtual clock
  bool is_given_time() const;  // in real time, too: then it decides by our clock, not by Redis's
  bool replies_expressions() const;
  bool reports(ReplyField field) const;

  // What it promises when it is told these numbers; empty: nothing.
  Rules promises(const RuleNumbers& numbers) const;
  // How it counts, whatever the numbers are: the kind of its first rule.
  std::optional<RuleKind> counts_by() const;
  // Its state is in the policy's key, and in no name made of it.
  bool is_state_in_key() const { return !keys.empty() && keys.front() == "<key>"; }
};

// The tolerance of the manifest, or else the resolution of the clock that the script uses: key
// expiry in Redis, and the scores of scripts that count in ms, are whole milliseconds.
std::int64_t tolerance_us_of(const Manifest& manifest);

// One source of a manifest. `name` is the file's, for messages.
struct ManifestText {
  std::string name;
  std::string text;
};

// `script`: the manifest is in its opening comment. `beside` and `given` hold bare `name = value`
// lines (blank lines and lines that begin with # or -- are skipped), and may be empty. Lines of a
// source without a name are called by their own names. `as = LAYOUT` stands for the lines with
// which that library calls its script (shipped/layout_call.h); any other line replaces one of them.
Manifest parse_manifest(const ManifestText& script, const ManifestText& beside = {},
                        const ManifestText& given = {});

// The manifest of a script that `finish` or `setup` names, or of a command: it has keys and args,
// and no reply or contract.
Manifest parse_companion_manifest(const ManifestText& script);

// The value of a `state` line. `place`: file:line, for messages.
State parse_state(const std::string& value, const std::string& place);

// Splits at commas outside brackets and quotes; the parts are trimmed.
std::vector<std::string> split_at_commas(std::string_view text);

}  // namespace rlctl
