// LocalStates: everywhere that clients of an exploration can be in their programs. A client's state
// is a function of the replies it has got, so it is known by them: a tree whose edges are replies,
// and each node of it is asked of the program once. Borrows the program. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/step_program.h"

namespace rlctl {

class LocalStates {
 public:
  using Id = std::uint32_t;

  explicit LocalStates(StepProgram& program) : program_(program) {}

  Id start(const ProgramStart& start);
  Id after(Id state, const Reply& reply);

  const ProgramStep& step(Id state) const { return nodes_[state].step; }
  const ProgramStart& started(Id state) const { return nodes_[state].start; }

  // Would it say the same again and again for as long as it hears this reply? Three times the same
  // command is taken for waiting, once or twice is not.
  bool waits_for_another(Id state, const Reply& reply);

  std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr Id kNone = ~Id{0};
  struct Node {
    ProgramStart start;
    Id parent = kNone;
    Reply reply;  // that led here
    ProgramStep step;
  };
  Id add(Node node);
  std::vector<Reply> replies_of(const Node& node) const;

  StepProgram& program_;
  std::vector<Node> nodes_;
  std::map<std::pair<std::size_t, std::int64_t>, Id> starts_;
  std::map<std::pair<Id, std::string>, Id> children_;
};

// Equal iff the replies are.
std::string fingerprint(const Reply& reply);

}  // namespace rlctl
