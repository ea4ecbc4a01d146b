#include "probe/tactic.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "probe/model.h"

namespace rlctl {

std::optional<std::int64_t> TacticPlay::next_us(std::int64_t now_us) {
  if (move_ == tactic_.moves.size()) return std::nullopt;
  const Move& move = tactic_.moves[move_];
  return std::max(now_us, sent_ == 0 ? begin_us_ + move.at_us : last_us_ + move.gap_us);
}

void TacticPlay::note(bool admitted, std::int64_t sent_us) {
  const Move& move = tactic_.moves[move_];
  last_us_ = sent_us;
  ++sent_;
  if (admitted) ++admitted_.back();
  denied_in_a_row_ = admitted ? 0 : denied_in_a_row_ + 1;
  if (move.poll && admitted) poll_was_admitted_ = true;
  if (sent_ == move.most || (move.until_denied && denied_in_a_row_ == 2)) go_on();
}

void TacticPlay::go_on() {
  do {
    ++move_;
    admitted_.push_back(0);
  } while (move_ < tactic_.moves.size() && tactic_.moves[move_].poll && poll_was_admitted_);
  sent_ = 0;
  denied_in_a_row_ = 0;
}

namespace {

constexpr std::int64_t kPollsToNarrow = 6;
constexpr std::int64_t kDeniedOfFlood = 2;

Move flood(std::int64_t at_us, std::int64_t limit, std::int64_t gap_us) {
  return {.at_us = at_us, .most = 2 * limit + 2, .until_denied = true, .gap_us = gap_us};
}

// So slow that a rule which denies sooner does not deny.
std::int64_t gap_beside_us(const Hypothesis& hypothesis) {
  if (!hypothesis.beside) return 0;
  const Hypothesis& sooner = *hypothesis.beside;
  return (sooner.filled_us() + sooner.filled_us() / 10) / sooner.limit;
}

struct Predicted {
  std::vector<std::int64_t> admitted;  // by move
  std::int64_t requests = 0;
  std::int64_t ended_us = 0;
};

Model model_after(const Hypothesis& hypothesis, std::int64_t time_us, const Situation& situation) {
  Model model(hypothesis, time_us);
  for (const Record& answer : situation.answers)
    if (answer.outcome <= Outcome::denied)
      model.note(answer.outcome == Outcome::allowed, answer.received_us);
  return model;
}

// The model has answered all of it then.
Predicted play(const Tactic& tactic, Model& model, const Situation& situation) {
  TacticPlay play(tactic, situation.now_us);
  Predicted predicted{{}, 0, situation.now_us};
  while (const auto at_us = play.next_us(predicted.ended_us)) {
    if (++predicted.requests > situation.requests_left) break;
    const bool admitted = model.has_room(*at_us);
    model.note(admitted, *at_us);
    play.note(admitted, *at_us);
    predicted.ended_us = *at_us + situation.round_trip_us;
  }
  predicted.admitted = play.admitted();
  predicted.admitted.resize(tactic.moves.size());
  return predicted;
}

Predicted predict(const Tactic& tactic, Model model, const Situation& situation) {
  return play(tactic, model, situation);
}

// One of the rules of a hypothesis, filled after a rest.
struct Filling {
  const Hypothesis& hypothesis;
  bool of_beside = false;
  std::int64_t start_us = 0;

  const Hypothesis& rule() const { return of_beside ? *hypothesis.beside : hypothesis; }
  std::int64_t gap_us() const { return of_beside ? 0 : gap_beside_us(hypothesis); }
  // The hypothesis if that rule's time were this.
  Model model_at(std::int64_t time_us, const Situation& situation) const;
};

Model Filling::model_at(std::int64_t time_us, const Situation& situation) const {
  if (!of_beside) return model_after(hypothesis, time_us, situation);
  Hypothesis changed = hypothesis;
  Hypothesis sooner = *hypothesis.beside;
  sooner.low_us = sooner.high_us = time_us;
  changed.beside = std::make_shared<const Hypothesis>(sooner);
  return model_after(changed, changed.time_us(), situation);
}

// When a request is admitted again after the rule was filled.
std::int64_t again_us(const Filling& filling, const Tactic& fill, std::int64_t time_us,
                      const Situation& situation) {
  Model model = filling.model_at(time_us, situation);
  std::int64_t low_us = play(fill, model, situation).ended_us;
  std::int64_t high_us = low_us + 4 * std::max(filling.rule().high_us, time_us);
  while (high_us - low_us > 100) {
    const std::int64_t middle_us = low_us + (high_us - low_us) / 2;
    (model.has_room(middle_us) ? high_us : low_us) = middle_us;
  }
  return high_us - situation.now_us;
}

// What a hypothesis says, whatever its time is within its range.
struct Forecast {
  Predicted low;
  Predicted high;
};

bool differ(const Forecast& a, const Forecast& b) {
  for (std::size_t i = 0; i < a.low.admitted.size(); ++i) {
    const auto [a_low, a_high] = std::minmax(a.low.admitted[i], a.high.admitted[i]);
    const auto [b_low, b_high] = std::minmax(b.low.admitted[i], b.high.admitted[i]);
    const std::int64_t margin = 1 + std::max(a_high, b_high) / 20;
    if (a_low >= b_high + margin || b_low >= a_high + margin) return true;
  }
  return false;
}

// The models of one hypothesis at both ends of its range, after the answers so far.
struct Ends {
  const Hypothesis& hypothesis;
  Model low;
  Model high;
};

struct Worth {
  std::int64_t pairs = 0;
  double price = 1;
  std::int64_t requests = 0;
  std::int64_t ended_us = 0;

  bool operator>(const Worth& other) const {
    return static_cast<double>(pairs) * other.price > static_cast<double>(other.pairs) * price;
  }
};

// A request is as dear as the time in which the limiter admits one.
double price_of(const Predicted& predicted, const Hypothesis& hypothesis,
                const Situation& situation) {
  const double each_us =
      static_cast<double>(hypothesis.memory_us()) / static_cast<double>(hypothesis.limit_high);
  return static_cast<double>(predicted.requests) +
         static_cast<double>(predicted.ended_us - situation.now_us) / each_us;
}

Worth worth_of(const Tactic& tactic, std::span<const Ends> ends, const Situation& situation) {
  std::vector<Forecast> forecasts;
  Worth worth;
  for (const Ends& one_of : ends) {
    forecasts.push_back(
        {predict(tactic, one_of.low, situation), predict(tactic, one_of.high, situation)});
    for (const Predicted* one : {&forecasts.back().low, &forecasts.back().high}) {
      if (one->requests > situation.requests_left) return {};
      if (one->ended_us - situation.now_us > situation.longest_us) return {};
      worth.requests = std::max(worth.requests, one->requests);
      worth.ended_us = std::max(worth.ended_us, one->ended_us);
      worth.price = std::max(worth.price, price_of(*one, one_of.hypothesis, situation));
    }
  }
  for (std::size_t i = 0; i < forecasts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) worth.pairs += differ(forecasts[i], forecasts[j]) ? 1 : 0;
  return worth;
}

// Every hypothesis has forgotten what was.
std::int64_t until_fresh(const Situation& situation) {
  std::int64_t longest_us = 0;
  for (const Hypothesis& hypothesis : situation.open)
    longest_us = std::max(longest_us, hypothesis.memory_us());
  return longest_us + longest_us / 50 + situation.round_trip_us;
}

// A few requests show whether there is room, at a lower price than a flood.
constexpr std::int64_t kPeek = 3;

// What a tactic plays with: a rule's limit and time, after a rest, no faster than the gap.
struct Measure {
  std::int64_t limit = 0;
  std::int64_t time_us = 0;
  std::int64_t start_us = 0;
  std::int64_t gap_us = 0;
};

std::vector<Tactic> tactics_for(const Measure& measure) {
  const auto [limit, time_us, start_us, gap_us] = measure;
  const std::string after = start_us > 0 ? "after a rest, " : "";
  const std::int64_t half = std::max<std::int64_t>(1, limit / 2);
  const auto at = [&](std::int64_t percent) {
    return measure.start_us + measure.time_us * percent / 100;
  };
  const Move peek{at(108), kPeek};
  std::vector<Tactic> tactics{
      {after + "the whole limit, and a few when it should be over", {{start_us, limit}, peek}},
      {after + "the whole limit, and a few before it should be over",
       {{start_us, limit}, {at(55), kPeek}}},
      {after + "one request, the others later, then a few",
       {{start_us, 1}, {at(60), limit - 1}, peek}},
      {after + "one half, the other half later, then a flood",
       {{start_us, half}, {at(50), limit - half}, flood(at(108), limit, gap_us)}},
      {after + "the whole limit, one denied, then a few", {{start_us, limit}, {at(50), 1}, peek}},
      {after + "the whole limit, many denied, then a few",
       {{start_us, limit}, {at(50), std::max<std::int64_t>(1, limit - 1)}, peek}},
      {after + "a flood, and another when it should be over",
       {flood(start_us, limit, gap_us), flood(at(108), limit, gap_us)}},
      {after + "a flood, then one request at a time", {flood(start_us, limit, gap_us)}}};
  for (std::int64_t percent = 10; percent <= 220; percent += 10)
    tactics.back().moves.push_back({at(percent), 2, true});
  for (Tactic& tactic : tactics) {
    std::erase_if(tactic.moves, [](const Move& move) { return move.most < 1; });
    for (Move& move : tactic.moves) move.gap_us = gap_us;
    if (gap_us > 0) tactic.name += ", slowly";
  }
  return tactics;
}

// From one edge of the clock to the next: each time it is played, one more edge is known. Where a
// window may be short or very long, it asks about the short ones first.
Tactic edge_to_edge(const Hypothesis& hypothesis) {
  constexpr std::int64_t kPolls = 16;
  Tactic tactic{"the next edge: " + hypothesis.name(),
                {flood(0, hypothesis.limit_high, gap_beside_us(hypothesis))}};
  const double first_us = static_cast<double>(std::max<std::int64_t>(hypothesis.low_us / 2, 1'000));
  const double factor = std::pow(static_cast<double>(hypothesis.high_us) / first_us, 1.0 / kPolls);
  for (std::int64_t i = 1; i <= kPolls; ++i)
    tactic.moves.push_back({.at_us = std::llround(first_us * std::pow(factor, i)), .poll = true});
  return tactic;
}

// The measures to try for the rules of a hypothesis.
std::vector<Measure> measures_of(const Hypothesis& hypothesis, std::int64_t fresh_us) {
  std::vector<Measure> measures;
  const std::int64_t time_us = hypothesis.filled_us();
  for (const std::int64_t start_us :
       {std::int64_t{0}, fresh_us, fresh_us + time_us / 3, fresh_us + 2 * time_us / 3})
    measures.push_back({hypothesis.limit, time_us, start_us, gap_beside_us(hypothesis)});
  if (!hypothesis.beside) return measures;
  const std::vector<Measure> others = measures_of(*hypothesis.beside, fresh_us);
  measures.insert(measures.end(), others.begin(), others.end());
  return measures;
}

bool is_wider(const Hypothesis& a, const Hypothesis& b) {
  return a.high_us * static_cast<double>(b.low_us) > b.high_us * static_cast<double>(a.low_us);
}

// A refill is measured over many of them: when a bucket is emptied again, before it is full. The
// longer it lasts, the less a late answer matters.
std::vector<std::int64_t> refills_of(const Hypothesis& rule, const Situation& situation) {
  constexpr std::int64_t kLongEnoughUs = 4 * kSecondUs;
  std::vector<std::int64_t> floods;
  if (rule.kind != LimiterKind::bucket) return floods;
  const std::int64_t most = std::max<std::int64_t>(1, rule.limit - 1);
  const std::int64_t refills = std::min(
      kLongEnoughUs / rule.high_us, situation.requests_left / 5 * most / (most + kDeniedOfFlood));
  if (rule.limit < 2 || refills < 2) return floods;
  const std::int64_t at_once = std::min(most, refills);
  for (std::int64_t sent = at_once; sent <= refills; sent += at_once)
    floods.push_back(sent * rule.low_us);
  return floods;
}

}  // namespace

Tactic narrowing(const Hypothesis& hypothesis, const Situation& situation) {
  const bool of_beside = hypothesis.beside && is_wider(*hypothesis.beside, hypothesis);
  const Filling filling{hypothesis, of_beside, of_beside ? until_fresh(situation) : 0};
  const Hypothesis& rule = filling.rule();
  const bool is_wide = rule.low_us < rule.high_us / 4 * 3;
  if (rule.kind == LimiterKind::fixed && is_wide && !of_beside) return edge_to_edge(hypothesis);
  Tactic tactic{
      "how long it lasts: " + std::string(rule.row().name) + (of_beside ? ", the sooner one" : ""),
      {flood(filling.start_us, rule.limit_high, filling.gap_us())}};
  for (const std::int64_t at_us : refills_of(rule, situation))
    tactic.moves.push_back(flood(filling.start_us + at_us, rule.limit_high, filling.gap_us()));
  const auto again = [&](std::int64_t time_us) {
    return again_us(filling, tactic, time_us, situation);
  };
  std::int64_t first_us = again(rule.low_us);
  std::int64_t last_us = again(rule.high_us);
  if (tactic.moves.size() > 1) {  // of many refills it is not known which one is next
    first_us = std::min(first_us, last_us);
    last_us = first_us + rule.high_us;
  }
  const std::int64_t round_us = again(rule.time_us());
  const std::int64_t after_us = round_us - filling.start_us;
  std::vector<std::int64_t> polls{round_us - after_us / 300 - 1'000,
                                  round_us + after_us / 300 + 1'000,
                                  last_us + (last_us - filling.start_us) / 100 + 1'000};
  for (std::int64_t i = 1; i <= kPollsToNarrow; ++i)
    polls.push_back(first_us + (last_us - first_us) * i / (kPollsToNarrow + 1));
  std::ranges::sort(polls);
  for (const std::int64_t at_us : polls)
    if (at_us > 0) tactic.moves.push_back({.at_us = at_us, .poll = true});
  return tactic;
}

namespace {

std::int64_t floods_of(const Hypothesis& hypothesis) { return hypothesis.row().aligned ? 3 : 1; }

// Fresh again, it must not hold more: it may have been in use when the examination began, and
// remember more than it seems to. And it must be full as long as it says: what is taken for one
// rule may be two that took turns. An edge of a clock comes at another time each time.
void add_floods_after_rests(Tactic& tactic, const Hypothesis& hypothesis, std::int64_t rest_us,
                            std::int64_t each_us) {
  const std::int64_t gap_us = gap_beside_us(hypothesis);
  std::int64_t at_us = tactic.moves.back().at_us + each_us;
  for (std::int64_t left = floods_of(hypothesis); left > 0; --left) {
    at_us += rest_us;
    tactic.moves.push_back(flood(at_us, hypothesis.limit, gap_us));
    for (const std::int64_t percent : {15, 30, 50, 75})
      tactic.moves.push_back({.at_us = at_us + hypothesis.filled_us() * percent / 100});
    at_us += hypothesis.filled_us();
  }
}

}  // namespace

Tactic lasting(const Hypothesis& hypothesis, const Situation& situation) {
  constexpr std::int64_t kMostTimes = 8;
  constexpr std::int64_t kFewestTimes = 3;
  constexpr std::int64_t kLongEnoughUs = 30 * kSecondUs;
  const std::int64_t each_us = hypothesis.filled_us() * 104 / 100 + 2 * situation.round_trip_us;
  const std::int64_t fresh_us = until_fresh(situation);
  const std::int64_t rest_us = std::max(2 * fresh_us, std::min(3 * kSecondUs, 10 * fresh_us));
  const std::int64_t floods = floods_of(hypothesis);
  const std::int64_t each_flood = hypothesis.limit + 6;
  const std::int64_t times =
      std::min({std::clamp(kLongEnoughUs / each_us, kFewestTimes, kMostTimes),
                (situation.requests_left - floods * each_flood) / hypothesis.limit - 1,
                (situation.longest_us - floods * (rest_us + each_us)) / each_us});
  Tactic tactic{"the whole limit, time after time: " + hypothesis.name(), {}};
  for (std::int64_t i = 1; i <= times; ++i)
    tactic.moves.push_back(
        {.at_us = i * each_us, .most = hypothesis.limit, .gap_us = gap_beside_us(hypothesis)});
  if (times > 0) add_floods_after_rests(tactic, hypothesis, rest_us, each_us);
  return tactic;
}

std::optional<Separation> separating(const Situation& situation) {
  std::optional<Separation> best;
  Worth best_worth;
  std::vector<Ends> ends;
  for (const Hypothesis& one : situation.open)
    ends.push_back(
        {one, model_after(one, one.low_us, situation), model_after(one, one.high_us, situation)});
  const std::int64_t fresh_us = until_fresh(situation);
  for (const Hypothesis& hypothesis : situation.open)
    for (const Measure& measure : measures_of(hypothesis, fresh_us))
      for (Tactic& tactic : tactics_for(measure)) {
        if (std::ranges::find(situation.spent, tactic.name) != situation.spent.end()) continue;
        const Worth worth = worth_of(tactic, ends, situation);
        if (!(worth > best_worth)) continue;
        best_worth = worth;
        best = {std::move(tactic), worth.requests, worth.ended_us - situation.now_us};
      }
  return best;
}

}  // namespace rlctl
