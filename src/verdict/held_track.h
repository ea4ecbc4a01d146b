// "N in flight", followed along a sequence of decisions: see rule_track.h. A holder has ended when
// an admission needed its room; until then it may still be held, and a denial that the rule
// explains makes it last until then. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "verdict/rule_track.h"

namespace rlctl {

struct Holder {
  Node end;  // when it ends
  std::int64_t cost;
};
using Holders = std::vector<Holder>;

class HeldTrack : public RuleTrack {
 public:
  HeldTrack(const Rule& rule, const JudgeOptions& options, const JointFrame& frame,
            std::span<const HeldRequest> held);

 protected:
  void room(const Step& step, Ways& ways) const override;
  void full(const Step& step, std::size_t entered, Ways& ways) const override;
  void enter(const Step& step, const Way& way) override;
  void leave() override;

 private:
  Node end_of(const HeldRequest& request) const;
  std::vector<Holders> choices(Holders holders, std::int64_t needed) const;

  std::map<Node, Holder> holder_of_;  // by request
  std::vector<Holders> held_;         // before all entries, and after each: who may not have ended
};

}  // namespace rlctl
