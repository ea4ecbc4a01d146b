#include "run/explore/pct.h"

#include <algorithm>
#include <functional>

namespace rlctl {
namespace {

constexpr std::size_t kMostStatesOfSpace = 50'000;

}  // namespace

PctSearch::PctSearch(SpaceMaker make_space, const PctPlan& plan)
    : make_space_(std::move(make_space)), plan_(plan), random_(plan.seed) {
  runs_.seed = plan.seed;
  runs_.depth = plan.depth;
  runs_.counted.assign(static_cast<std::size_t>(plan.depth), 0);
}

void PctSearch::run(const Goals& goals, const std::function<void(std::uint64_t)>& tell) {
  bool ends = false;
  while (runs_.runs < plan_.runs && !ends) {
    tell(runs_.runs);
    if (!space_ || space_->states() > kMostStatesOfSpace) space_ = make_space_();
    const int depth = 1 + static_cast<int>(runs_.runs % static_cast<std::uint64_t>(plan_.depth));
    prepare(depth);
    const std::int64_t steps = play(goals);
    ++runs_.runs;
    if (steps > runs_.steps || most_keys_ > keys_that_expire_)
      grow(steps);
    else
      ++runs_.counted[static_cast<std::size_t>(depth) - 1];
    for (std::size_t i = 0; i < kMostExploreGoals; ++i)
      ends = ends || ((plan_.last_goals >> i & 1) != 0 && found_[i]);
  }
  runs_.threads = static_cast<std::int64_t>(threads_.size());
}

// The bound begins anew.
void PctSearch::grow(std::int64_t steps) {
  if (steps > runs_.steps) runs_.steps = steps + steps / 4;
  keys_that_expire_ = most_keys_;
  std::ranges::fill(runs_.counted, 0);
}

// Threads in a random order, all above the depth; the change points lower them below it.
void PctSearch::prepare(int depth) {
  const ExploreRules& rules = space_->rules();
  threads_.clear();
  const auto add = [&](Choice::Kind kind, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      threads_.push_back({{kind, static_cast<std::uint8_t>(i)}, 0});
  };
  add(Choice::Kind::client, rules.clients);
  if (rules.events.crash) add(Choice::Kind::crash, rules.clients);
  if (!rules.events.time_steps_us.empty()) add(Choice::Kind::time, 1);
  if (rules.events.expiry) add(Choice::Kind::expiry, keys_that_expire_);
  if (rules.events.forget) add(Choice::Kind::forget, 1);
  for (std::size_t i = threads_.size(); i > 1; --i)
    std::swap(threads_[i - 1], threads_[random_.below(i)]);
  for (std::size_t i = 0; i < threads_.size(); ++i)
    threads_[i].priority = depth + static_cast<std::int64_t>(threads_.size() - i);
  change_steps_.clear();
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(1, runs_.steps));
  for (int i = 1; i < depth; ++i)
    change_steps_.push_back(1 + static_cast<std::int64_t>(random_.below(most)));
  client_of_.assign(rules.clients, {});
  begun_ = 0;
}

// The choice that a thread stands for in this run; empty if it needs a client that has not begun.
std::optional<Choice> PctSearch::choice_of(const Thread& thread) const {
  const bool is_client = thread.choice.kind == Choice::Kind::client;
  if (!space_->rules().clients_alike || (!is_client && thread.choice.kind != Choice::Kind::crash))
    return thread.choice;
  const std::optional<std::uint8_t> client = client_of_[thread.choice.index];
  if (!client && !is_client) return {};
  return Choice{thread.choice.kind, client.value_or(begun_)};
}

// The first thread that can go on.
std::optional<PctSearch::Next> PctSearch::next() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const std::optional<Choice> choice = choice_of(threads_[i]);
    if (!choice) continue;
    if (const auto edge = space_->edge(state_, *choice)) return Next{i, *edge};
  }
  return {};
}

std::optional<PctSearch::Next> PctSearch::next_or_lowered(std::int64_t step) {
  std::optional<Next> chosen = next();
  for (std::size_t i = 0; i < change_steps_.size() && chosen; ++i) {
    if (change_steps_[i] != step) continue;
    threads_[chosen->thread].priority = static_cast<std::int64_t>(i + 1);
    std::ranges::sort(threads_, std::greater<>(), &Thread::priority);
    chosen = next();
  }
  return chosen;
}

void PctSearch::note_begin(const Next& next) {
  const Choice& choice = threads_[next.thread].choice;
  if (choice.kind != Choice::Kind::client || client_of_[choice.index]) return;
  client_of_[choice.index] = next.edge.choice.index;
  ++begun_;
}

std::int64_t PctSearch::play(const Goals& goals) {
  state_ = space_->first();
  way_ = {};
  std::int64_t steps = 0;
  while (const std::optional<Next> chosen = next_or_lowered(steps + 1)) {
    ++steps;
    note_begin(*chosen);
    state_ = chosen->edge.to;
    way_.choices.push_back(chosen->edge.choice);
    if (space_->rules().events.expiry) most_keys_ = std::max(most_keys_, space_->expirable(state_));
    keep(goals(*space_, state_));
  }
  return steps;
}

void PctSearch::keep(std::uint32_t reached) {
  for (std::size_t i = 0; i < kMostExploreGoals; ++i)
    if ((reached >> i & 1) != 0 && !found_[i]) found_[i] = way_;
}

}  // namespace rlctl
