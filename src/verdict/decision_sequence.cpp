#include "verdict/decision_sequence.h"

#include <algorithm>
#include <utility>

namespace rlctl {
DecisionSequence::DecisionSequence(const Requests& requests, const Rules& rules,
                                   const JudgeOptions& options, JointFrame frame)
    : requests_(requests) {
  for (const Request& request : requests) instants_.add(request.low, request.high);
  zero_ = instants_.add(0, 0);
  frame.instants = &instants_;
  frame.alone = rules.size() == 1;
  for (const Rule& rule : rules) tracks_.push_back(make_track(rule, options, frame));
}

Step DecisionSequence::step_of(std::size_t request, Role role) const {
  const Request& r = requests_[request];
  return {static_cast<Node>(request), r.cost, role == Role::denial};
}

bool DecisionSequence::minds(std::size_t denial) const {
  const Step step = step_of(denial, Role::denial);
  return std::ranges::any_of(tracks_, [&](const auto& track) { return track->minds(step); });
}

// Whether the way is possible as far as one bound can tell.
bool DecisionSequence::may_hold(const Way& way) const {
  for (std::size_t i = 0; i < way.count; ++i) {
    const Bound& bound = way.bounds[i];
    if (bound.least(instants_.at(bound.from)) > instants_.high(bound.to)) return false;
  }
  return true;
}

void DecisionSequence::combine(const std::vector<Ways>& ways, Role role, Answer& answer,
                               std::vector<Answer>& all) const {
  if (answer.size() == ways.size()) {
    const bool explained =
        role != Role::denial || std::ranges::any_of(answer, [](const Way& w) { return w.full; });
    if (explained) all.push_back(answer);
    return;
  }
  for (const Way& way : ways[answer.size()]) {
    if (!may_hold(way)) continue;
    answer.push_back(way);
    combine(ways, role, answer, all);
    answer.pop_back();
  }
}

Instant DecisionSequence::shortfall(const Answer& answer) const {
  Instant moved = 0;
  for (const Way& way : answer)
    for (std::size_t i = 0; i < way.count; ++i)
      moved = std::max(moved, instants_.shortfall(way.bounds[i]));
  return moved;
}

std::vector<Answer> DecisionSequence::sorted(std::vector<Answer> answers) const {
  if (answers.size() < 2) return answers;
  std::ranges::stable_sort(
      answers, [this](const Answer& a, const Answer& b) { return shortfall(a) < shortfall(b); });
  return answers;
}

std::vector<Answer> DecisionSequence::answers(std::size_t request, Role role) const {
  if (role == Role::denial) return answers_after(request, kAll);
  std::vector<Ways> ways;
  for (const auto& track : tracks_) ways.push_back(track->to_admit(step_of(request, role)));
  std::vector<Answer> all;
  Answer answer;
  combine(ways, role, answer, all);
  return sorted(std::move(all));
}

std::vector<Answer> DecisionSequence::answers_after(std::size_t denial, std::size_t entered) const {
  const Step step = step_of(denial, Role::denial);
  std::vector<Ways> ways;
  for (const auto& track : tracks_)
    ways.push_back(track->to_deny(step, std::min(entered, track->entries())));
  std::vector<Answer> all;
  Answer answer;
  combine(ways, Role::denial, answer, all);
  return sorted(std::move(all));
}

bool DecisionSequence::commit(const Step& step, const Answer& answer, const Bound& after,
                              bool ordered) {
  const Instants::Mark mark = instants_.mark();
  bool possible = after.from == kNoNode || instants_.require(after);
  for (const Way& way : answer)
    for (std::size_t i = 0; possible && i < way.count; ++i)
      possible = instants_.require(way.bounds[i]);
  if (!possible) {
    instants_.undo_to(mark);
    return false;
  }
  for (std::size_t i = 0; i < tracks_.size(); ++i) tracks_[i]->commit(step, answer[i]);
  if (ordered) last_.push_back(step.node);
  done_.push_back({mark, ordered});
  return true;
}

bool DecisionSequence::add(std::size_t request, Role role, const Answer& answer, Instant least) {
  const Step step = step_of(request, role);
  const bool waits = least > now();
  const Node last = last_.empty() ? kNoNode : last_.back();
  const Bound after = waits ? Bound{zero_, step.node, least} : Bound{last, step.node};
  const bool added = commit(step, answer, after, true);
  if (added && waits && last != kNoNode) (void)instants_.require({last, step.node});
  return added;
}

bool DecisionSequence::hang(std::size_t denial, std::size_t entered, const Answer& answer) {
  const Step step = step_of(denial, Role::denial);
  const Node after = entered == 0 ? kNoNode : tracks_[0]->entry(entered - 1);
  return commit(step, answer, {after, step.node}, false);
}

void DecisionSequence::undo() {
  const Done done = done_.back();
  done_.pop_back();
  if (done.ordered) last_.pop_back();
  for (const auto& track : tracks_) track->undo();
  instants_.undo_to(done.mark);
}

std::size_t DecisionSequence::opened_after(std::size_t entered) const {
  std::size_t first = entered;
  for (const auto& track : tracks_) first = std::min(first, track->opened_after(entered));
  return first;
}

std::optional<DecisionSequence::Earliest> DecisionSequence::earliest_by(const RuleTrack& track,
                                                                        std::size_t request,
                                                                        Instant from) const {
  const Step step = step_of(request, Role::admission);
  std::optional<Earliest> earliest;
  for (const Way& way : track.to_admit(step)) {
    Earliest by_way{from, kNoNode};
    for (std::size_t i = 0; i < way.count; ++i) {
      const Bound& bound = way.bounds[i];
      if (bound.to != step.node) continue;
      const Instant least = bound.least(instants_.at(bound.from));
      if (least > by_way.at) by_way = {least, bound.from};
    }
    if (!earliest || by_way.at < earliest->at) earliest = by_way;
  }
  return earliest;
}

std::optional<Instant> DecisionSequence::next_admission(std::size_t request) const {
  Instant latest = std::max(now(), at(request));
  for (const auto& track : tracks_) {
    const std::optional<Earliest> earliest = earliest_by(*track, request, latest);
    if (!earliest) return {};
    latest = earliest->at;
  }
  return latest;
}

Node DecisionSequence::obstacle_of(std::size_t request) const {
  Earliest latest{std::max(now(), at(request)), kNoNode};
  for (const auto& track : tracks_) {
    const std::optional<Earliest> earliest = earliest_by(*track, request, latest.at);
    if (earliest && earliest->at > latest.at) latest = *earliest;
  }
  return latest.obstacle;
}

}  // namespace rlctl
