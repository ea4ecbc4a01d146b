// Instants that depend on each other: a system of difference constraints, and its least solution.
//
// Every instant has a range. A bound says that one instant is not before a function of another one:
// "not before it", "at least 5 s after it", "so late that it still counts then". All functions
// rise, so there is a least solution below all others. It is kept up to date as bounds are added;
// if an instant leaves its range, there is no solution. (Shortest paths solve such systems: Cormen
// et al., "Introduction to Algorithms", 22.4. Here all bounds are lower ones.)
//
// Bounds are removed in reverse order, so that a search can go back. Pure; times are in any unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "verdict/algorithm/window_rule.h"

namespace rlctl {

using Instant = std::int64_t;
using Node = std::uint32_t;
inline constexpr Node kNoNode = std::numeric_limits<Node>::max();

// to >= from + plus, or `most` if that is less; or, with a window, by `via`.
struct Bound {
  enum class Via : std::uint8_t {
    plus,
    end,   // `to` is not before the end of the window for `from`
    count  // an admission at `to` still counts at `from`
  };
  Node from = kNoNode;
  Node to = kNoNode;
  Instant plus = 0;
  Via via = Via::plus;
  const WindowRule* window = nullptr;
  Instant most = std::numeric_limits<Instant>::max();

  Instant least(Instant at) const;
};
constexpr Bound later(Node from, Node to, Instant plus) {
  return {.from = from, .to = to, .plus = plus};
}

// A further instant: not before some others and not after some others, each by a difference.
struct Gap {
  struct End {
    Node node;
    Instant plus;
  };
  std::vector<End> low;   // instant >= node + plus
  std::vector<End> high;  // node >= instant + plus

  // What its ends demand of each other, each low one with each high one, as Fourier and Motzkin
  // eliminate a variable. If that holds, there is such an instant.
  std::vector<Bound> bounds() const;
};

class Instants {
 public:
  struct Mark {
    std::size_t nodes;
    std::size_t edges;
    std::size_t changes;
  };

  Node add(Instant low, Instant high);
  // Its bounds must hold already.
  Node add(const Gap& gap);
  Instant at(Node node) const { return nodes_[node].at; }
  Instant high(Node node) const { return nodes_[node].high; }

  // False: there is no solution any more. The caller must then undo.
  bool require(const Bound& bound);

  Mark mark() const { return {nodes_.size(), edges_.size(), changes_.size()}; }
  void undo_to(const Mark& mark);

  // Some contradiction was assumed because it took too many steps to find out: a "no" is no proof.
  bool gave_up() const { return gave_up_; }
  void give_up() { gave_up_ = true; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct State {
    Instant at;
    Instant high;
    std::uint32_t first_edge = kNone;
    // Of the propagation `round`: who raised it last, and how often it was raised.
    Node raised_by = kNoNode;
    std::uint32_t round = 0;
    std::uint32_t raises = 0;
  };
  struct Edge {
    Bound bound;
    std::uint32_t next;
  };
  struct Change {
    Node node;
    Instant before;
  };

  bool raise(Node node, Instant to, Node by);
  bool propagate();
  bool raises_itself(Node node) const;

  std::vector<State> nodes_;
  std::vector<Edge> edges_;
  std::vector<Change> changes_;
  std::vector<Node> waiting_;
  std::uint32_t round_ = 0;
  bool only_differences_ = true;  // no bound by aligned windows so far
  bool gave_up_ = false;
};

}  // namespace rlctl
