#include "verdict/decision_sequence.h"

#include <algorithm>
#include <utility>

namespace rlctl {
namespace {

constexpr std::uint32_t kFirstLane[] = {0};

}  // namespace

bool changes_alike(const Answer& a, const Answer& b) {
  return std::ranges::equal(a, b, [](const Way& x, const Way& y) {
    return x.change == y.change && x.block == y.block && x.block_after == y.block_after &&
           x.ended == y.ended;
  });
}

DecisionSequence::DecisionSequence(const Requests& requests, const Lanes& lanes, JointFrame frame)
    : requests_(requests) {
  for (const Request& request : requests) instants_.add(request.low, request.high);
  zero_ = instants_.add(0, 0);
  frame.instants = &instants_;
  frame.alone = lanes.size() == 1 && lanes.front().size() == 1;
  lanes_.resize(lanes.size());
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    const std::vector<HeldRequest> held = held_in(i, lanes[i]);
    for (const Rule& rule : lanes[i]) lanes_[i].tracks.push_back(make_track(rule, frame, held));
  }
}

// The requests that the lane's rules "in flight" count.
std::vector<HeldRequest> DecisionSequence::held_in(std::uint32_t lane, const Rules& rules) const {
  std::vector<HeldRequest> all;
  if (!any_in_flight(rules)) return all;
  for (std::uint32_t i = 0; i < requests_.size(); ++i)
    if (requests_[i].role != Role::denial && std::ranges::count(lanes_of(i), lane) > 0)
      all.push_back({i, requests_[i].held});
  return all;
}

std::span<const std::uint32_t> DecisionSequence::lanes_of(std::size_t request) const {
  if (requests_[request].lanes.empty()) return kFirstLane;
  return requests_[request].lanes;
}

Instant DecisionSequence::now(std::size_t request) const {
  Instant now = kBegin;
  for (const std::uint32_t lane : lanes_of(request))
    if (!lanes_[lane].last.empty()) now = std::max(now, instants_.at(lanes_[lane].last.back()));
  return now;
}

Step DecisionSequence::step_of(std::size_t request, Role role) const {
  const Request& r = requests_[request];
  return {static_cast<Node>(request), r.cost, role == Role::denial};
}

bool DecisionSequence::minds(std::size_t denial) const {
  const Step step = step_of(denial, Role::denial);
  return std::ranges::any_of(tracks_of(denial),
                             [&](const auto& track) { return track->minds(step); });
}

// Whether the way is possible as far as one bound can tell.
bool DecisionSequence::may_hold(const Way& way) const {
  return std::ranges::all_of(way.bounds, [this](const Bound& bound) {
    return bound.least(instants_.at(bound.from)) <= instants_.high(bound.to);
  });
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

bool DecisionSequence::is_certain(const Answer& answer) const {
  const auto holds = [this](const Bound& bound) {
    return bound.least(instants_.high(bound.from)) <= instants_.at(bound.to);
  };
  return std::ranges::all_of(
      answer, [&](const Way& way) { return std::ranges::all_of(way.bounds, holds); });
}

Instant DecisionSequence::shortfall(const Answer& answer, Node waits, Instant waited) const {
  const auto at = [&](Node node) { return instants_.at(node) + (node == waits ? waited : 0); };
  Instant moved = 0;
  for (const Way& way : answer)
    for (const Bound& bound : way.bounds)
      moved = std::max(moved, bound.least(at(bound.from)) - at(bound.to));
  return moved;
}

std::vector<Answer> DecisionSequence::sorted(std::vector<Answer> answers) const {
  if (answers.size() < 2) return answers;
  const auto loss = [this](const Answer& answer) {
    Instant sum = shortfall(answer);
    for (const Way& way : answer) sum += way.unlikely;
    return sum;
  };
  std::ranges::stable_sort(answers, {}, loss);
  return answers;
}

std::vector<Answer> DecisionSequence::answers(std::size_t request, Role role) const {
  if (role == Role::denial) return answers_to_deny(request, {});
  std::vector<Ways> ways;
  for (const auto& track : tracks_of(request))
    ways.push_back(track->to_admit(step_of(request, role)));
  std::vector<Answer> all;
  Answer answer;
  combine(ways, role, answer, all);
  return sorted(std::move(all));
}

// With a place: one lane explains it, so the others do not matter.
std::vector<Answer> DecisionSequence::answers_to_deny(std::size_t denial,
                                                      const std::optional<Place>& place) const {
  const Step step = step_of(denial, Role::denial);
  std::vector<Ways> ways;
  for (const std::uint32_t lane : lanes_of(denial))
    for (const auto& track : lanes_[lane].tracks) {
      const std::size_t entered = place && place->lane == lane ? place->entered : 0;
      ways.push_back(
          track->to_deny(step, place ? std::min(entered, track->entries()) : track->entries()));
    }
  std::vector<Answer> all;
  Answer answer;
  combine(ways, Role::denial, answer, all);
  return sorted(std::move(all));
}

bool DecisionSequence::commit(const Step& step, const Answer& answer, std::span<const Bound> after,
                              bool ordered) {
  const Instants::Mark mark = instants_.mark();
  bool possible =
      std::ranges::all_of(after, [this](const Bound& bound) { return instants_.require(bound); });
  for (const Way& way : answer)
    for (std::size_t i = 0; possible && i < way.bounds.size(); ++i)
      possible = instants_.require(way.bounds[i]);
  if (!possible) {
    instants_.undo_to(mark);
    return false;
  }
  const Way* way = answer.data();
  for (const std::uint32_t lane : lanes_of(step.node)) {
    for (const auto& track : lanes_[lane].tracks) track->commit(step, *way++);
    if (ordered) lanes_[lane].last.push_back(step.node);
  }
  done_.push_back({mark, step.node, ordered});
  return true;
}

bool DecisionSequence::add(std::size_t request, Role role, const Answer& answer, Instant least) {
  const Step step = step_of(request, role);
  std::vector<Bound> after;
  if (least > now(request)) after.push_back({zero_, step.node, least});
  for (const std::uint32_t lane : lanes_of(request))
    if (!lanes_[lane].last.empty()) after.push_back({lanes_[lane].last.back(), step.node});
  return commit(step, answer, after, true);
}

bool DecisionSequence::hang(std::size_t denial, const Place& place, const Answer& answer) {
  const Step step = step_of(denial, Role::denial);
  if (place.entered == 0) return commit(step, answer, {}, false);
  const Bound after{lanes_[place.lane].tracks[0]->entry(place.entered - 1), step.node};
  return commit(step, answer, {&after, 1}, false);
}

void DecisionSequence::undo() {
  const Done done = done_.back();
  done_.pop_back();
  for (const std::uint32_t lane : lanes_of(done.request)) {
    for (const auto& track : lanes_[lane].tracks) track->undo();
    if (done.ordered) lanes_[lane].last.pop_back();
  }
  instants_.undo_to(done.mark);
}

std::size_t DecisionSequence::opened_after(const Place& place) const {
  std::size_t first = place.entered;
  for (const auto& track : lanes_[place.lane].tracks)
    first = std::min(first, track->opened_after(place.entered));
  return first;
}

std::vector<Wait> DecisionSequence::waits_for(std::size_t denial, const Place& place) const {
  std::vector<Wait> all;
  const Step step = step_of(denial, Role::denial);
  for (const auto& track : lanes_[place.lane].tracks)
    if (const auto wait = track->to_wait(step, std::min(place.entered, track->entries())))
      all.push_back(*wait);
  return all;
}

std::optional<DecisionSequence::Earliest> DecisionSequence::earliest_by(const RuleTrack& track,
                                                                        std::size_t request,
                                                                        Instant from) const {
  const Step step = step_of(request, Role::admission);
  std::optional<Earliest> earliest;
  for (const Way& way : track.to_admit(step)) {
    Earliest by_way{from, kNoNode};
    for (const Bound& bound : way.bounds) {
      if (bound.to != step.node) continue;
      const Instant least = bound.least(instants_.at(bound.from));
      if (least > by_way.at) by_way = {least, bound.from};
    }
    if (!earliest || by_way.at < earliest->at) earliest = by_way;
  }
  return earliest;
}

std::optional<Instant> DecisionSequence::next_admission(std::size_t request) const {
  Instant latest = std::max(now(request), at(request));
  for (const auto& track : tracks_of(request)) {
    const std::optional<Earliest> earliest = earliest_by(*track, request, latest);
    if (!earliest) return {};
    latest = earliest->at;
  }
  return latest;
}

DecisionSequence::Earliest DecisionSequence::obstacle_of(std::size_t request) const {
  Earliest latest{std::max(now(request), at(request)), kNoNode};
  for (const auto& track : tracks_of(request)) {
    const std::optional<Earliest> earliest = earliest_by(*track, request, latest.at);
    if (earliest && earliest->at > latest.at) latest = *earliest;
  }
  return latest;
}

}  // namespace rlctl
