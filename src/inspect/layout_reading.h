// LayoutReading: what the keys of one limiter say, by the layouts of libraries (inspect/layout.h).
// Where several layouts fit and disagree, a number is not known. Pure except for the Lua of the
// layouts. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inspect/key_state.h"
#include "inspect/layouts.h"
#include "limiter/expression.h"
#include "policy/policy.h"

namespace rlctl {

// Known besides the state. The policy is set only if the user gave one (limit 0: not given).
struct KeyContext {
  Policy policy;
  std::int64_t now_us = 0;
};

// What a policy says of what counts in this way; limit 0: nothing. The numbers of a bucket, its
// refill and the time of that, are no limit and no window of anything else. Borrows the policy.
const Policy& policy_for(std::optional<RuleKind> kind, const Policy& policy);

struct LayoutReading {
  std::vector<std::string> names;  // of the layouts; empty: none fits
  std::string client;
  std::string client_may_be;                 // "a route and a client"; empty: nothing else
  std::string unit;                          // what is counted: "requests"
  std::map<std::string, std::string> words;  // by key: what it holds
  std::string stale;                         // why the numbers are not those of now
  std::optional<RuleKind> kind;
  bool is_common_name = false;  // other software, too, may name its keys so
  bool may_last = false;        // the library sets no expiry, or not always
  bool tells_window = false;    // by its name: a later window has another
  bool blocks = false;          // it is a block flag
  bool is_impossible = false;   // no library leaves such values
  bool counts_down = false;     // it counts what is left
  bool has_companions = false;  // other keys belong to the same limiter: read all together
  std::optional<double> used, left, limit, window_us, frees_us;

  bool fits() const { return !names.empty(); }
};

// Where the expressions of a layout have what a key holds.
struct KeySlots {
  Expressions::Slot length, live, ttl_ms;
  std::vector<Expressions::Slot> values;  // by name of the state
};

class LayoutReader {
 public:
  // Borrows the layouts.
  explicit LayoutReader(const Layouts& layouts) : layouts_(layouts) {}

  // `keys`: those of one limiter that exist, in any order.
  LayoutReading read(std::span<const KeyState> keys, const KeyContext& context);

 private:
  struct Candidate {
    const Layout* layout = nullptr;
    const KeyState* first = nullptr;      // the state of its first key; null: there is none
    std::vector<const KeyState*> states;  // by key of the layout; null: there is none
    const KeyState* previous = nullptr;   // of the slot before
    std::vector<NameFilling> fillings;
    std::string limiter, client;
    double slot = -1;
  };
  static void take(const KeyState& state, NameMatch match, std::vector<Candidate>& candidates);
  std::vector<Candidate> candidates(std::span<const KeyState> keys) const;
  LayoutReading evaluate(const Candidate& candidate, const KeyContext& context);
  // What is made of a layout when it is first used.
  struct Prepared {
    std::optional<RuleKind> kind;
    std::unique_ptr<Expressions> expressions;
    std::vector<KeySlots> slots;  // by key of the layout
    KeySlots previous;            // of the first key, in the slot before
  };
  static KeySlots slots_of(const Expressions& expressions, const State& state,
                           std::string_view before, std::size_t key);
  Prepared& prepared(const Layout& layout);

  const Layouts& layouts_;
  std::map<const Layout*, Prepared> prepared_;
};

}  // namespace rlctl
