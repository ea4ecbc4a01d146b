// KeyReading: what the state of a key means. It uses the manifests' `state`, `used` and `frees_us`
// lines; for keys of other software, the type and the magnitude of the numbers. What the state does
// not prove is a guess, and said to be one wherever it is shown. No algorithm is named here. Pure
// except for the Lua of the manifests. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "inspect/key_state.h"
#include "inspect/layout_reading.h"
#include "inspect/limiter_words.h"
#include "limiter/expression.h"
#include "limiter/registry.h"
#include "policy/policy.h"

namespace rlctl {

enum class Shape : std::uint8_t {
  none,     // no limiter stores such a value
  log,      // times, one for each entry
  counter,  // a number in a string
  time,     // a time in a string: GCRA, or the end of a period
  bucket,   // a hash of numbers
};
// The words say what is there, not what it is for.
inline constexpr Word<Shape> kShapeWords[] = {{"log", Shape::log},
                                              {"number", Shape::counter},
                                              {"time", Shape::time},
                                              {"hash", Shape::bucket},
                                              {"other", Shape::none}};
constexpr std::span<const Word<Shape>> words_of(Shape) { return kShapeWords; }

struct KeyReading {
  Shape shape = Shape::none;
  std::vector<std::string> algorithms;        // that store such a state; empty: not ours
  std::string words;                          // the description of the first one's state
  std::optional<RuleKind> kind;               // how it counts; empty if not known
  std::optional<double> used;                 // of the limit; empty if not known
  bool guess = false;                         // another algorithm's state may look the same
  bool may_be_other = false;                  // a hash, by words that are common elsewhere, too
  std::optional<std::int64_t> frees_us;       // until more is admitted
  FieldsSay fields_say = FieldsSay::nothing;  // of a hash: a guess, without a limit of the user
  std::optional<double> own_limit;            // by a field of it: as much a guess
  LayoutReading layout;                       // of another library
  // The policy with just the rule of this key's window; empty: it is the user's, as it stands.
  std::optional<Policy> own_policy;
  bool rule_in_doubt = false;  // another rule may be its own, or none

  const Policy& policy_under(const Policy& policy) const {
    return own_policy ? *own_policy : policy;
  }
  // ", if 5/1m is its rule"; empty: it is not in doubt.
  std::string doubt_in_words() const;

  // Other software does not name its keys so.
  bool is_of_library() const { return layout.fits() && !layout.is_common_name; }
  // A library's, or as a script of ours stores it.
  bool is_of_known_writer() const { return is_of_library() || (!guess && !algorithms.empty()); }

  // Of the limit that the keys tell or the user gave, else that of a field; empty: none.
  std::optional<double> limit_under(const Policy& policy) const;

  // Without an expiry, a number that counts requests is never reset. Logs and times end by
  // themselves, and so does a count whose name tells its window.
  bool needs_expiry() const {
    return shape == Shape::counter && used && (!kind || row_of(*kind).counts_from_0) &&
           (!layout.tells_window || layout.is_common_name);
  }
  bool is_bucket() const { return kind && row_of(*kind).takes_capacity; }
};

class KeyReader {
 public:
  // `algorithm`: use only its manifest, and no layout. Empty: all manifests without a flaw.
  KeyReader(const Registry& registry, const std::string& algorithm, Layouts layouts = {});
  // Uses only the manifest of this script, as if it were named.
  explicit KeyReader(Script script);
  KeyReader(const KeyReader&) = delete;

  const Layouts& layouts() const { return layouts_; }

  KeyReading read(const KeyState& state, const KeyContext& context);
  // The keys of one limiter, if a layout says that they belong together.
  KeyReading read_together(std::span<const KeyState> states, const KeyContext& context);

 private:
  struct Candidate {
    std::string name;
    Manifest manifest;
    std::optional<RuleKind> kind;              // the manifest's, parsed once for all keys
    std::unique_ptr<Expressions> expressions;  // used, frees_us
    std::vector<Expressions::Slot> slots;      // by name of the state
  };
  struct Match {
    const Candidate* candidate = nullptr;
    std::optional<double> used;
    std::optional<std::int64_t> frees_us;
    std::size_t missing = 0;  // names of the state without a number in the value
  };
  KeyReading read_as_told(const KeyState& state, const KeyContext& context);
  KeyReading join(std::span<const KeyState> states, const KeyContext& context);
  static bool take_layout(LayoutReading layout, KeyReading& reading);
  static std::optional<Match> match(const Candidate& candidate, const KeyState& state,
                                    const KeyContext& context, const std::vector<double>& numbers);
  static void take_matches(const std::vector<Match>& matches, const KeyState& state,
                           const KeyContext& context, KeyReading& reading);

  void add_candidate(Script script);
  bool may_be_told(const KeyState& state, const std::vector<double>& numbers) const;

  std::vector<Candidate> candidates_;
  bool told_;  // the user says which algorithm it is
  Layouts layouts_;
  LayoutReader layout_reader_{layouts_};
};

// It limits, whatever its name is, and is no block flag: that of a client "blocked".
bool is_hash_that_counts(const KeyState& state, const KeyReading& reading);

// Whether it is a block flag: beside a limiter's keys, or by the layout of its library.
bool is_block_flag(const KeyState& state, const KeyReading& reading);

// What is beside a flag, after one more of the keys that have its name.
Beside with_key(Beside beside, const KeyState& state, const KeyReading& reading);

// The number or the fields that a key holds, raw and cut, for a key whose use is not known.
std::string short_value_of(const KeyState& state);

// Admissions, or the entries of a log; empty if the key tells neither.
std::optional<double> use_of(const KeyState& state, const KeyReading& reading);

}  // namespace rlctl
