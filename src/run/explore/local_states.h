// LocalStates: all states of the clients' programs in an exploration. The state of a client is a
// function of the replies it has received. The states form a tree whose edges are replies; the
// program is called once per node. Borrows the program. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/explore/step_program.h"

namespace rlctl {

class LocalStates {
 public:
  using Id = std::uint32_t;

  explicit LocalStates(StepProgram& program) : program_(program) {}

  Id start(const ProgramStart& start);
  Id after(Id state, const Reply& reply);

  const ProgramStep& step(Id state) const { return nodes_[state].step; }

  // True if the client repeats its command as long as it gets this reply. Three times the same
  // command counts as waiting; once or twice does not.
  bool waits_for_another(Id state, const Reply& reply);

  std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr Id kNone = ~Id{0};
  struct Node {
    ProgramStart start;
    Id parent = kNone;
    Reply reply;  // the reply that led to this node
    ProgramStep step;
  };
  Id add(Node node);
  std::vector<Reply> replies_of(const Node& node) const;

  StepProgram& program_;
  std::vector<Node> nodes_;
  std::map<std::pair<std::size_t, std::int64_t>, Id> starts_;
  std::map<std::pair<Id, std::string>, Id> children_;
};

// Equal if and only if the replies are equal.
std::string fingerprint(const Reply& reply);

}  // namespace rlctl
