#include "probe/fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/sort.h"
#include "base/units.h"
#include "probe/model.h"
#include "probe/refutation.h"

namespace rlctl {
namespace {

// A shorter window cannot be told from none, one request after another; nor can one that is over
// before the answer comes.
constexpr std::int64_t kShortestUs = 10'000;
constexpr std::int64_t kShortestRefillUs = 500;

struct Fitting {
  std::span<const Record> answers;
  std::vector<Run> runs;
  std::int64_t longest_us;
  bool of_a_pair = false;      // denials of another rule are not among the answers
  std::int64_t answer_us = 0;  // three of four admissions took longer
  // Some answers decide nothing, so a row of admissions does not tell a limit. Of a pair: not told.
  bool has_undecided = false;
};

bool fits(const Hypothesis& hypothesis, std::int64_t time_us, const Fitting& fitting) {
  return !refutation_of(hypothesis, time_us, fitting.answers, fitting.has_undecided).is_any();
}

std::int64_t shortest_us(const Hypothesis& hypothesis, const Fitting& fitting) {
  const bool is_bucket = hypothesis.kind == LimiterKind::bucket;
  return std::max(
      {is_bucket ? kShortestRefillUs : kShortestUs, hypothesis.low_us, fitting.answer_us});
}

// Not of denials: some services let them wait longer than their window lasts.
std::int64_t usual_answer_us(std::span<const Record> answers) {
  std::vector<std::int64_t> lasted_us;
  for (const Record& answer : answers)
    if (answer.outcome == Outcome::allowed)
      lasted_us.push_back(answer.received_us - answer.sent_us);
  std::ranges::sort(lasted_us);
  return lasted_us.empty() ? 0 : lasted_us[lasted_us.size() / 4];
}

struct Range {
  std::int64_t low_us = 0;
  std::int64_t high_us = 0;
};

std::int64_t middle_of(std::int64_t low_us, std::int64_t high_us) {
  const double middle = std::sqrt(static_cast<double>(low_us) * static_cast<double>(high_us));
  return std::clamp(static_cast<std::int64_t>(middle), low_us + 1, high_us - 1);
}

// Where the predicate, true of low_us and false of high_us, turns.
template <class Predicate>
std::int64_t turn_of(std::int64_t low_us, std::int64_t high_us, Predicate is_below) {
  while (high_us - low_us > std::max<std::int64_t>(low_us / 5'000, 1)) {
    const std::int64_t at_us = middle_of(low_us, high_us);
    (is_below(at_us) ? low_us : high_us) = at_us;
  }
  return low_us;
}

// Times that fit may lie beyond some that do not, where answers of another rule were left out.
void reach_beyond(const Hypothesis& hypothesis, const Fitting& fitting, const Range& outer,
                  Range& found) {
  constexpr double kStep = 0.007;
  constexpr int kSteps = 30;
  const Range inner = found;
  for (int i = 1; i <= kSteps; ++i) {
    const auto longer_us =
        static_cast<std::int64_t>(static_cast<double>(inner.high_us) * (1 + kStep * i));
    const auto shorter_us =
        static_cast<std::int64_t>(static_cast<double>(inner.low_us) * (1 - kStep * i));
    if (longer_us <= outer.high_us && fits(hypothesis, longer_us, fitting))
      found.high_us = std::min(outer.high_us, longer_us + longer_us / 140);
    if (shorter_us >= outer.low_us && fits(hypothesis, shorter_us, fitting))
      found.low_us = std::max(outer.low_us, shorter_us - shorter_us / 140);
  }
}

// A time too short has room where a request was denied, one too long has none where one was
// admitted. Only the first refutation tells: after it, the model is no longer the limiter.
bool halve(const Hypothesis& hypothesis, const Fitting& fitting, Range& range) {
  const auto found = [&](std::int64_t at_us) {
    return refutation_of(hypothesis, at_us, fitting.answers, fitting.has_undecided);
  };
  const auto fits = [&](std::int64_t at_us) { return !found(at_us).is_any(); };
  std::int64_t low_us = range.low_us;
  std::int64_t high_us = range.high_us;
  std::int64_t inside_us = fits(low_us) ? low_us : fits(high_us) ? high_us : 0;
  while (inside_us == 0 && high_us - low_us > 1) {
    const std::int64_t at_us = middle_of(low_us, high_us);
    const Refutation refutation = found(at_us);
    if (!refutation.is_any()) inside_us = at_us;
    (refutation.is_too_short() ? low_us : high_us) = at_us;
  }
  if (inside_us == 0) return false;
  if (!fits(range.low_us))
    range.low_us = turn_of(range.low_us, inside_us, [&](auto at_us) { return !fits(at_us); });
  if (!fits(range.high_us)) range.high_us = turn_of(inside_us, range.high_us, fits);
  return true;
}

// Times to try in a range: the roundest ones, and some between its ends.
std::vector<std::int64_t> times_in(std::int64_t low_us, std::int64_t high_us) {
  constexpr std::int64_t kTries = 40;
  std::vector<std::int64_t> times{roundest_time(low_us, high_us)};
  for (std::int64_t i = 0; i <= kTries; ++i)
    times.push_back(low_us + (high_us - low_us) * i / kTries);
  for (const std::int64_t unit : {std::int64_t{100'000}, kSecondUs, kMinuteUs, kHourUs})
    for (std::int64_t number = 1; number <= 60; ++number)
      if (number * unit >= low_us && number * unit <= high_us) times.push_back(number * unit);
  sort_unique(times);
  return times;
}

// Times that fit may lie on both sides of one that does not, where answers follow from shares of
// windows, or a request came just when a penalty ended. It tries one time after another, the round
// ones among them, which a step may miss, and keeps a step on either side of those that fit.
bool scan(const Hypothesis& hypothesis, const Fitting& fitting, Range& range) {
  constexpr double kSteps = 300;
  constexpr double kLargestStep = 1.01;
  const auto low = static_cast<double>(range.low_us);
  const auto high = static_cast<double>(range.high_us);
  const double step = std::clamp(std::pow(high / low, 1 / kSteps), 1.000'01, kLargestStep);
  std::vector<std::int64_t> times = times_in(range.low_us, range.high_us);
  for (double at = low; at <= high * step; at *= step)
    times.push_back(std::min(static_cast<std::int64_t>(at), range.high_us));
  sort_unique(times);
  Range found{range.high_us, 0};
  for (const std::int64_t at_us : times) {
    if (!fits(hypothesis, at_us, fitting)) continue;
    const auto width_us = static_cast<std::int64_t>(static_cast<double>(at_us) * (step - 1));
    found.low_us = std::max(range.low_us, std::min(found.low_us, at_us - width_us));
    found.high_us = std::min(range.high_us, std::max(found.high_us, at_us + width_us));
  }
  if (found.high_us > 0) range = found;
  return found.high_us > 0;
}

bool fit_time(Hypothesis& hypothesis, const Fitting& fitting) {
  Range range{shortest_us(hypothesis, fitting),
              hypothesis.high_us > 0 ? hypothesis.high_us : fitting.longest_us};
  if (range.low_us > range.high_us) return false;
  const Range outer = range;
  const bool is_halved = !hypothesis.is_counter() && halve(hypothesis, fitting, range);
  if (is_halved && fitting.of_a_pair) reach_beyond(hypothesis, fitting, outer, range);
  // A rule of a pair has many limits to try.
  const bool is_scanned = hypothesis.is_counter() || !fitting.of_a_pair;
  if (!is_halved && !(is_scanned && scan(hypothesis, fitting, range))) return false;
  hypothesis.low_us = range.low_us;
  hypothesis.high_us = range.high_us;
  return true;
}

// Where an edge may lie so that each row of admissions after a denial began with one, about the
// last row; empty (low above high) if there is none.
Range edges_for(std::int64_t time_us, const Fitting& fitting) {
  const Run& last = fitting.runs.back();
  const std::int64_t late_us = lateness_us(time_us);
  Range edges{last.after_us - late_us, last.from_us + late_us};
  for (const Run& run : fitting.runs) {
    if (run.after_us == kNoTime) continue;
    const std::int64_t low_us = run.after_us - late_us;
    const std::int64_t high_us = run.from_us + late_us;
    const std::int64_t most = floor_div(edges.high_us - low_us, time_us);
    const std::int64_t first = -floor_div(-(edges.low_us - high_us), time_us);
    if (first > most) return {1, 0};
    edges.low_us = std::max(edges.low_us, low_us + first * time_us);
    edges.high_us = std::min(edges.high_us, high_us + most * time_us);
  }
  return edges;
}

// The edges to try: the clock's own, and one between any two answers.
std::vector<std::int64_t> edges_to_try(std::int64_t time_us, bool of_the_clock,
                                       const Fitting& fitting) {
  const std::int64_t clock_us = fitting.runs.back().from_us - fitting.runs.back().from_us % time_us;
  if (of_the_clock || fitting.runs.back().after_us == kNoTime) return {clock_us};
  const Range range = edges_for(time_us, fitting);
  if (range.low_us > range.high_us) return {};
  std::vector<std::int64_t> turns{range.low_us, range.high_us};
  for (const Record& answer : fitting.answers) {
    if (answer.outcome > Outcome::denied) continue;
    const std::int64_t into_us = answer.received_us - range.low_us;
    const std::int64_t turn_us = range.low_us + into_us - floor_div(into_us, time_us) * time_us;
    if (turn_us < range.high_us) turns.push_back(turn_us);
  }
  sort_unique(turns);
  std::vector<std::int64_t> edges;
  if (range.low_us <= clock_us && clock_us <= range.high_us) edges.push_back(clock_us);
  edges.insert(edges.end(), {range.low_us, range.high_us});
  constexpr std::size_t kMostEdges = 24;
  const std::size_t step = turns.size() / kMostEdges + 1;
  for (std::size_t i = 0; i + 1 < turns.size(); i += step)
    edges.push_back(turns[i] + (turns[i + 1] - turns[i]) / 2);
  return edges;
}

// A range of times for windows of a clock: between two rows of admissions that began with a window
// lies one window, because a denied request stood at the end of the first.
void limit_range(Hypothesis& hypothesis, const Fitting& fitting) {
  std::int64_t low_us = shortest_us(hypothesis, fitting);
  std::int64_t high_us = hypothesis.high_us > 0 ? hypothesis.high_us : fitting.longest_us;
  const std::vector<Run>& runs = fitting.runs;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const Run& next = runs[i];
    const Run& last = runs[i - 1];
    low_us = std::max(low_us, next.after_us - last.to_us - kMostLateUs);
    if (last.after_us != kNoTime)
      high_us = std::min(high_us, next.from_us - last.after_us + kMostLateUs);
  }
  hypothesis.low_us = low_us;
  hypothesis.high_us = high_us;
}

// The edges that fit, the clock's own first.
std::vector<std::int64_t> fitting_edges(Hypothesis trial, std::int64_t time_us,
                                        const Fitting& fitting) {
  std::vector<std::int64_t> edges = edges_to_try(time_us, trial.is_counter(), fitting);
  std::erase_if(edges, [&](std::int64_t edge_us) {
    trial.edge_us = edge_us;
    return !fits(trial, time_us, fitting);
  });
  return edges;
}

bool fit_edges(Hypothesis& hypothesis, const Fitting& fitting) {
  if (hypothesis.kind == LimiterKind::fixed) limit_range(hypothesis, fitting);
  const Range range{shortest_us(hypothesis, fitting),
                    hypothesis.high_us > 0 ? hypothesis.high_us : fitting.longest_us};
  if (range.low_us > range.high_us) return false;
  Range found{range.high_us, 0};
  const std::int64_t round_us = roundest_time(range.low_us, range.high_us);
  const std::int64_t width_us =
      hypothesis.kind == LimiterKind::fixed ? (range.high_us - range.low_us) / 40 : 0;
  std::vector<std::int64_t> edges;
  for (const std::int64_t time_us : times_in(range.low_us, range.high_us)) {
    std::vector<std::int64_t> fit = fitting_edges(hypothesis, time_us, fitting);
    if (fit.empty()) continue;
    if (edges.empty() || time_us == round_us) edges = std::move(fit);
    found.low_us = std::max(range.low_us, std::min(found.low_us, time_us - width_us));
    found.high_us = std::min(range.high_us, std::max(found.high_us, time_us + width_us));
  }
  if (edges.empty()) return false;
  hypothesis.edge_us = edges.front();
  hypothesis.edge_low_us = std::ranges::min(edges);
  hypothesis.edge_high_us = std::ranges::max(edges);
  hypothesis.low_us = found.low_us;
  hypothesis.high_us = found.high_us;
  // Its edges are told beside the time that it is told as.
  const std::vector<std::int64_t> told = fitting_edges(hypothesis, hypothesis.time_us(), fitting);
  if (!told.empty()) hypothesis.edge_us = told.front();
  return true;
}

bool fit_rounding(Hypothesis& hypothesis, const Fitting& fitting) {
  return hypothesis.row().aligned ? fit_edges(hypothesis, fitting) : fit_time(hypothesis, fitting);
}

// A penalty lasts at least as long as the window that led to it, so a row of admissions after it
// begins afresh: one as quick as the first row holds no more than the limit. Windows of a clock may
// change in it, so most of these rows decide.
bool rows_hold_at_most(std::int64_t limit, const Fitting& fitting) {
  const Run& first = fitting.runs.front();
  std::int64_t quick = 0;
  std::int64_t longer = 0;
  for (const Run& run : fitting.runs) {
    const bool is_quick = (run.to_us - run.from_us) * first.admitted <=
                          2 * (first.to_us - first.from_us) * run.admitted;
    if (run.after_us == kNoTime || !run.denied_after || !is_quick) continue;
    ++quick;
    longer += run.admitted > limit;
  }
  return 2 * longer <= quick;
}

// A range covers the times of both ways to round, if both agree with the answers.
bool fit_limit(Hypothesis& hypothesis, const Fitting& fitting) {
  if (hypothesis.kind == LimiterKind::penalty && !rows_hold_at_most(hypothesis.limit, fitting))
    return false;
  if (!hypothesis.is_counter()) return fit_rounding(hypothesis, fitting);
  Hypothesis other = hypothesis;
  other.rounds_down = !other.rounds_down;
  const bool fits_other = fit_rounding(other, fitting);
  if (!fit_rounding(hypothesis, fitting)) {
    if (fits_other) hypothesis = other;
    return fits_other;
  }
  if (!fits_other) return true;
  hypothesis.low_us = std::min(hypothesis.low_us, other.low_us);
  hypothesis.high_us = std::max(hypothesis.high_us, other.high_us);
  return true;
}

using Lengths = std::set<std::int64_t, std::greater<>>;

// How many a row of admissions may have been. An answer without a decision may have been one of
// them, or in the place of the denial that ended them.
void add_lengths(const Run& run, bool has_undecided, Lengths& lengths) {
  lengths.insert(run.admitted);
  const auto undecided = has_undecided ? std::ssize(run.undecided_at) : 0;
  for (std::int64_t i = undecided; i > 0; --i) {
    lengths.insert(run.admitted + i);
    const std::int64_t before = run.undecided_at[static_cast<std::size_t>(i - 1)];
    if (before > 0) lengths.insert({before, run.admitted - before});
  }
}

// The limits that the rows of admissions show. A bucket is refilled while it is emptied, and a
// counter forgets while it is filled.
std::vector<std::int64_t> limits_to_try(const Hypothesis& hypothesis, const Fitting& fitting) {
  Lengths lengths;
  if (hypothesis.kind == LimiterKind::penalty)
    add_lengths(fitting.runs.front(), fitting.has_undecided, lengths);
  else
    for (const Run& run : fitting.runs)
      if (run.denied_after) add_lengths(run, fitting.has_undecided, lengths);
  if (hypothesis.limit > 0 && fitting.has_undecided)
    lengths.insert({hypothesis.limit, hypothesis.limit_high});
  lengths.erase(0);
  std::vector<std::int64_t> limits{lengths.begin(), lengths.end()};
  if (limits.empty() || hypothesis.kind == LimiterKind::penalty) return limits;
  const bool is_bucket = hypothesis.kind == LimiterKind::bucket;
  const std::int64_t most = hypothesis.is_counter() ? 12 : 60;
  // A bucket that is not emptied for long admits more in a row than it holds.
  const bool is_known = is_bucket && hypothesis.limit > 0;
  const std::int64_t longest = is_known ? hypothesis.limit_high : limits.front();
  const auto add = [&](std::int64_t limit) {
    if (lengths.insert(limit).second) limits.push_back(limit);
  };
  if (is_bucket || hypothesis.is_counter())
    for (std::int64_t i = 1; i <= std::min(most, longest - 1); ++i)
      add(longest - std::max(i, i * (longest - 1) / 2 / most));
  if (is_known) add(longest);
  // The other rule's denials are not among the rows, so all of them may be too long.
  if (fitting.of_a_pair && !hypothesis.is_counter())
    for (std::int64_t limit = std::min(most, longest); limit > 0; --limit) add(limit);
  return limits;
}

// Each limit that fits adds to the ranges. The first kinds of limits are tried first.
void widen(Hypothesis& found, const Hypothesis& trial) {
  if (found.limit == 0) {
    found = trial;
    found.limit_high = trial.limit;
    return;
  }
  found.limit = std::min(found.limit, trial.limit);
  found.limit_high = std::max(found.limit_high, trial.limit);
  found.low_us = std::min(found.low_us, trial.low_us);
  found.high_us = std::max(found.high_us, trial.high_us);
}

std::string reason_against(const Hypothesis& hypothesis, const Fitting& fitting) {
  Hypothesis largest = hypothesis;
  largest.limit = std::max<std::int64_t>(1, hypothesis.limit_high);
  const std::int64_t time_us = hypothesis.high_us > 0
                                   ? hypothesis.time_us()
                                   : fitting.runs.back().from_us - fitting.runs.front().from_us;
  const Refutation found =
      refutation_of(largest, std::max<std::int64_t>(1, time_us), fitting.answers);
  const Record* record = found.answer;
  if (record == nullptr)
    return "no limit, and no time longer than an answer takes, explain all answers";
  const std::int64_t at_us = record->sent_us - fitting.answers.front().intended_us;
  return "request " + std::to_string(record - fitting.answers.data() + 1) + ", after " +
         format_duration(at_us / 1'000 * 1'000) +
         (found.is_too_short() ? ", was denied, but there was room"
                               : ", was admitted, but there was no room");
}

Hypothesis fitted(Hypothesis before, const Fitting& fitting) {
  if (before.is_refuted()) return before;
  Hypothesis found = before;
  found.limit = found.limit_high = 0;
  const bool may_be_less = before.kind == LimiterKind::bucket || fitting.has_undecided;
  for (const std::int64_t limit : limits_to_try(before, fitting)) {
    if (before.limit > 0 && before.kind == LimiterKind::bucket && limit > before.limit_high)
      continue;
    Hypothesis trial = before;
    if (limit < before.limit || limit > before.limit_high) trial.low_us = trial.high_us = 0;
    trial.limit = limit;
    if (fit_limit(trial, fitting)) widen(found, trial);
    if (found.limit > 0 && !may_be_less) return found;
  }
  if (found.limit > 0) return found;
  if (before.limit == 0) before.limit = before.limit_high = fitting.runs.front().admitted;
  before.refuted_by = reason_against(before, fitting);
  return before;
}

// The ends of what is known of a limiter, and its roundest time, each as if decisions were made
// when requests were sent, and when answers came.
std::vector<Model> ends_of(const Hypothesis& hypothesis) {
  std::vector<Model> models;
  const auto add = [&](Hypothesis end, std::int64_t time_us, std::int64_t edge_us) {
    end.edge_us = edge_us;
    for (const std::int64_t limit : {hypothesis.limit, hypothesis.limit_high}) {
      end.limit = limit;
      models.emplace_back(end, time_us, Leaning::lenient);
      models.emplace_back(end, time_us, Leaning::strict);
    }
  };
  for (const std::int64_t time_us : hypothesis.times_us())
    add(hypothesis, time_us, hypothesis.edge_us);
  if (!hypothesis.row().aligned) return models;
  add(hypothesis, hypothesis.time_us(), hypothesis.edge_low_us);
  add(hypothesis, hypothesis.time_us(), hypothesis.edge_high_us);
  return models;
}

// What is left of a denial that the other rule may have given: the rule that is asked first counts
// the request before the other one denies it, the rule that is asked then never sees it.
enum class Foreign : std::uint8_t { may_count, never_seen };

// What a rule beside this one must explain: all answers but the denials that this one may have
// given.
std::vector<Record> without_denials_of(const Hypothesis& hypothesis,
                                       std::span<const Record> answers, Foreign foreign) {
  const bool is_asked_first = foreign == Foreign::never_seen;
  const std::int64_t late_us = lateness_us(hypothesis.high_us);
  std::vector<Model> models = ends_of(hypothesis);
  std::vector<Record> rest;
  for (const Record& answer : answers) {
    if (answer.outcome == Outcome::failed || answer.received_us == kNoTime) continue;
    if (answer.outcome == Outcome::unknown) {
      rest.push_back(answer);
      for (std::size_t i = 1; i < models.size(); i += 2) models[i].note(true, answer.received_us);
      continue;
    }
    const bool admitted = answer.outcome == Outcome::allowed;
    const auto has_room = [&](const Model& model) {
      return model.has_room(answer.sent_us - late_us) &&
             model.has_room(answer.received_us + late_us);
    };
    const bool is_its_own = admitted || std::ranges::all_of(models, has_room);
    if (is_its_own || foreign == Foreign::may_count) rest.push_back(answer);
    if (!is_its_own && foreign == Foreign::may_count) rest.back().outcome = Outcome::unknown;
    for (std::size_t i = 0; i < models.size(); i += 2) {
      models[i].note(admitted, answer.sent_us);
      models[i + 1].note(admitted || (is_asked_first && models[i + 1].has_room(answer.received_us)),
                         answer.received_us);
    }
  }
  return rest;
}

Hypothesis fitted_beside(const Hypothesis& rule, const Hypothesis& other, Foreign foreign,
                         const Fitting& fitting) {
  const std::vector<Record> answers = without_denials_of(other, fitting.answers, foreign);
  return fitted(rule, {.answers = answers,
                       .runs = runs_of(answers),
                       .longest_us = fitting.longest_us,
                       .of_a_pair = true,
                       .answer_us = fitting.answer_us});
}

Hypothesis fitted_pair(Hypothesis before, const Fitting& fitting) {
  if (before.is_refuted()) return before;
  Hypothesis later = before;
  later.beside.reset();
  later = fitted_beside(later, *before.beside, Foreign::never_seen, fitting);
  if (later.is_refuted()) return before.refuted_by = later.refuted_by, before;
  Hypothesis sooner = fitted_beside(*before.beside, later, Foreign::may_count, fitting);
  if (sooner.is_refuted()) return before.refuted_by = sooner.refuted_by, before;
  later.beside = std::make_shared<const Hypothesis>(std::move(sooner));
  return later;
}

// A request that was given up is taken as decided before the next one was sent, or never.
std::vector<Record> with_ends(std::span<const Record> records) {
  std::vector<Record> answers{records.begin(), records.end()};
  for (std::size_t i = 0; i + 1 < answers.size(); ++i)
    if (answers[i].outcome == Outcome::unknown && answers[i].received_us == kNoTime)
      answers[i].received_us = std::max(answers[i].sent_us, answers[i + 1].sent_us);
  return answers;
}

bool is_same_kind(const Hypothesis& a, const Hypothesis& b) {
  if (a.kind != b.kind || !a.beside != !b.beside) return false;
  return !a.beside || a.beside->kind == b.beside->kind;
}

// What is left of `fresh` is left of `known` too, but for 2 %.
bool is_within(const Hypothesis& fresh, const Hypothesis& known) {
  if (known.beside && !is_within(*fresh.beside, *known.beside)) return false;
  return fresh.limit >= known.limit && fresh.limit_high <= known.limit_high &&
         fresh.low_us >= known.low_us - known.low_us / 50 &&
         fresh.high_us <= known.high_us + known.high_us / 50;
}

}  // namespace

std::vector<Run> runs_of(std::span<const Record> answers) {
  std::vector<Run> runs;
  std::int64_t denied_us = kNoTime;
  std::size_t undecided = 0;
  bool goes_on = false;
  for (const Record& answer : answers) {
    if (answer.outcome == Outcome::allowed) {
      if (!goes_on)
        runs.push_back({.after_us = denied_us,
                        .from_us = answer.received_us,
                        .undecided_at = std::vector<std::int64_t>(undecided, 0)});
      undecided = 0;
      ++runs.back().admitted;
      runs.back().to_us = answer.received_us;
      goes_on = true;
    } else if (answer.outcome == Outcome::denied) {
      denied_us = answer.sent_us;
      if (goes_on) runs.back().denied_after = true;
      goes_on = false;
      undecided = 0;
    } else if (answer.outcome == Outcome::unknown) {
      if (!runs.empty()) runs.back().to_us = std::max(runs.back().to_us, answer.received_us);
      if (goes_on)
        runs.back().undecided_at.push_back(runs.back().admitted);
      else
        ++undecided;
    }
  }
  return runs;
}

std::vector<Hypothesis> fit(std::span<const Record> records, std::vector<Hypothesis> before,
                            std::int64_t longest_us) {
  const std::vector<Record> answers = with_ends(records);
  if (before.empty())
    for (const LimiterKindRow& row : kLimiterKinds) before.push_back({.kind = row.meaning});
  const bool has_undecided =
      std::ranges::find(answers, Outcome::unknown, record_outcome) != answers.end();
  const Fitting fitting{.answers = answers,
                        .runs = runs_of(answers),
                        .longest_us = longest_us,
                        .answer_us = usual_answer_us(answers),
                        .has_undecided = has_undecided};
  for (Hypothesis& hypothesis : before)
    hypothesis = hypothesis.beside ? fitted_pair(std::move(hypothesis), fitting)
                                   : fitted(std::move(hypothesis), fitting);
  join_equal(before);
  return before;
}

std::vector<Hypothesis> pairs_with(std::span<const Hypothesis> refuted) {
  std::vector<Hypothesis> pairs;
  for (const Hypothesis& one : refuted) {
    if (!one.row().stands_beside || one.limit == 0 || one.high_us == 0) continue;
    Hypothesis sooner = one;
    sooner.refuted_by.clear();
    // A denial of the other rule may have bent it before it refuted it.
    sooner.low_us -= sooner.low_us / 10;
    sooner.high_us += sooner.high_us / 10;
    const auto beside = std::make_shared<const Hypothesis>(std::move(sooner));
    for (const LimiterKindRow& row : kLimiterKinds)
      if (row.stands_beside) pairs.push_back({.kind = row.meaning, .beside = beside});
  }
  return pairs;
}

std::int64_t open_again(std::span<const Record> answers, std::vector<Hypothesis>& hypotheses,
                        std::int64_t longest_us) {
  std::vector<Hypothesis> singles = hypotheses;
  const bool are_pairs = std::erase_if(singles, [](const auto& one) { return one.beside; }) > 0;
  const std::vector<Hypothesis> anew =
      fit(answers, are_pairs ? pairs_with(singles) : std::vector<Hypothesis>{}, longest_us);
  std::int64_t opened = 0;
  for (Hypothesis& known : hypotheses) {
    const auto fresh = std::ranges::find_if(
        anew, [&](const Hypothesis& one) { return one.is_open() && is_same_kind(one, known); });
    if (fresh == anew.end() || (!known.is_refuted() && is_within(*fresh, known))) continue;
    known = *fresh;
    ++opened;
  }
  join_equal(hypotheses);
  return opened;
}

}  // namespace rlctl
