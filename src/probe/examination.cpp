#include "probe/examination.h"

#include <algorithm>

#include "base/units.h"
#include "probe/refutation.h"
#include "probe/undecided.h"

namespace rlctl {
namespace {

constexpr std::int64_t kBudgetPerLimit = 10;
constexpr std::int64_t kLeastBudget = 300;
// From one poll to the next. Each may itself count, so there are few of them.
constexpr double kPollFactor = 1.25;
constexpr std::int64_t kFirstPollUs = 5'000;
// A tactic is not played a fourth time, but for one that measures a time: late answers of a busy
// machine widen it, and some come in time.
constexpr std::ptrdiff_t kMostTries = 3;
constexpr std::ptrdiff_t kMostMeasurements = 10;
// Before it begins again. A limiter may remember more than it showed.
constexpr std::int64_t kShortestRestUs = kSecondUs;
constexpr std::int64_t kRestFactor = 2;
// After so many, kinds that were opened again are told as left.
constexpr std::int64_t kMostLooks = 3;
// A range that became narrower by this is narrowed again.
constexpr double kProgress = 0.8;

// Below it, differences between answers say nothing.
constexpr std::int64_t kShortestTurnUs = 10'000;

double width_of(const Hypothesis& one) {
  return static_cast<double>(one.high_us) / static_cast<double>(one.low_us) *
         static_cast<double>(one.limit_high) / static_cast<double>(one.limit);
}

bool is_decision(const Record& record) { return record.outcome <= Outcome::denied; }

}  // namespace

std::vector<Hypothesis> Examination::open() const {
  std::vector<Hypothesis> open;
  for (const Hypothesis& hypothesis : hypotheses_)
    if (hypothesis.is_open()) open.push_back(hypothesis);
  return open;
}

std::int64_t Examination::budget() const {
  if (limits_.requests > 0) return limits_.requests;
  if (done_.size() < 2) return limits_.up_to;
  return std::max(kLeastBudget, kBudgetPerLimit * limit_found()) *
         (are_pairs() || began_again() ? 2 : 1);
}

// The largest limit that is left: a second rule may hold more than the longest row of admissions,
// and a bucket holds less, because it is refilled meanwhile.
std::int64_t Examination::limit_found() const {
  std::int64_t limit = 0;
  for (const Hypothesis& one : hypotheses_)
    if (one.is_open())
      limit = std::max({limit, one.limit_high, one.beside ? one.beside->limit_high : 0});
  return limit > 0 ? limit : limit_seen_;
}

std::ptrdiff_t Examination::times_played(const std::string& tactic) const {
  const auto first = done_.begin() + static_cast<std::ptrdiff_t>(done_before_);
  return std::count(first, done_.end(), tactic);
}

std::int64_t Examination::requests_left() const {
  return std::max<std::int64_t>(0, budget() - std::ssize(log_.records));
}

std::int64_t Examination::answers_that_agree() const {
  return open().empty() ? 0 : std::ranges::count_if(evidence(), is_decision);
}

std::optional<std::int64_t> Examination::unseen_from() const {
  if (end() != ExaminationEnd::found || open().front().beside) return std::nullopt;
  return std::ranges::count(log_.records, Outcome::allowed, record_outcome);
}

std::int64_t Examination::round_trip_us() const {
  constexpr std::int64_t kUnknown = 1'000;
  constexpr std::int64_t kShortest = 100;
  std::optional<std::int64_t> shortest_us;
  for (const Record& record : log_.records)
    if (is_decision(record)) {
      const std::int64_t lasted_us = record.received_us - record.sent_us;
      shortest_us = std::min(shortest_us.value_or(lasted_us), lasted_us);
    }
  return std::max(shortest_us.value_or(kUnknown), kShortest);
}

std::optional<Tactic> Examination::end_with(ExaminationEnd end) {
  end_ = end;
  return std::nullopt;
}

// Since the examination began, or since it began again: an empty row of admissions fits anything.
std::optional<Tactic> Examination::end_without_admissions() {
  return end_with(limit_seen_ == 0 ? ExaminationEnd::never_admitted : ExaminationEnd::unexplained);
}

// It waits longer and longer, because nothing is known of the time.
Tactic Examination::polling(std::string name, std::int64_t first_us) const {
  Tactic tactic{std::move(name), {}};
  for (auto at = static_cast<double>(first_us); at < static_cast<double>(limits_.longest_us);
       at *= kPollFactor)
    tactic.moves.push_back({.at_us = static_cast<std::int64_t>(at), .poll = true});
  tactic.moves.push_back({.most = 2 * limit_seen_ + 2, .until_denied = true});
  return tactic;
}

// A queue makes each request wait for its turn: the first ones are answered at once, and then all
// take the same time.
bool Examination::is_delayed() const {
  constexpr std::ptrdiff_t kSteady = 10;
  const std::vector<Record>& records = log_.records;
  if (std::ssize(records) <= kSteady || admitted_in_a_row_ < std::ssize(records)) return false;
  std::vector<std::int64_t> last;
  for (auto one = records.end() - kSteady; one != records.end(); ++one)
    last.push_back(one->received_us - one->sent_us);
  std::ranges::sort(last);  // its middle half: a stall of the machine is no turn
  const std::int64_t low_us = last[kSteady / 4];
  const std::int64_t high_us = last[kSteady * 3 / 4];
  return low_us > kShortestTurnUs && high_us < 2 * low_us && round_trip_us() < low_us / 3;
}

std::optional<Tactic> Examination::next_tactic(std::int64_t now_us) {
  if (log_.records.empty())
    return Tactic{"looking for a limit", {{.most = limits_.up_to, .until_denied = true}}};
  const auto is_denied = [](const Record& record) { return record.outcome == Outcome::denied; };
  if (std::ranges::none_of(log_.records, is_denied))
    return end_with(undecided_of(log_.records).total() > 0 ? ExaminationEnd::undecided
                                                           : ExaminationEnd::no_limit);
  const std::vector<Run> runs = runs_of(evidence());
  if (std::ranges::any_of(
          runs, [](const Run& run) { return run.undecided_at.size() > kMostUndecided; })) {
    hypotheses_.clear();
    return end_with(ExaminationEnd::too_many_undecided);
  }
  if (runs.size() < 2 && tactics_played() < 2)
    return polling("waiting until it admits again", kFirstPollUs);
  if (runs.empty()) return end_without_admissions();
  return telling_apart(now_us);
}

bool Examination::are_pairs() const {
  return std::ranges::any_of(hypotheses_,
                             [](const Hypothesis& one) { return one.beside != nullptr; });
}

// Nothing is known of the time of a second rule, but that it lasts longer than the first one.
std::optional<Tactic> Examination::waiting_for_second() const {
  std::int64_t shortest_us = limits_.longest_us;
  for (const Hypothesis& one : hypotheses_)
    if (one.high_us > 0) shortest_us = std::min(shortest_us, one.filled_us());
  Tactic wait =
      polling("waiting until a second rule admits again", std::max(kFirstPollUs, shortest_us));
  if (times_played(wait.name) > 0) return std::nullopt;
  return wait;
}

void Examination::try_pairs() {
  const std::vector<Hypothesis> pairs = pairs_with(hypotheses_);
  hypotheses_.insert(hypotheses_.end(), pairs.begin(), pairs.end());
  hypotheses_ = fit(evidence(), std::move(hypotheses_), limits_.longest_us);
}

// Before one kind is named, and before none is. True: there is more to tell apart.
bool Examination::look_again() {
  const bool changes = open_again(evidence(), hypotheses_, limits_.longest_us) > 0;
  if (changes) ++looks_;
  return changes;
}

void Examination::end_early(ExaminationEnd end) {
  end_ = end;
  if (runs_of(evidence()).size() >= 2)
    hypotheses_ = fit(evidence(), std::move(hypotheses_), limits_.longest_us);
}

std::int64_t Examination::contradicted_before(const Hypothesis& one) const {
  std::int64_t fewest = std::ssize(before());
  for (const std::int64_t time_us : one.times_us())
    fewest = std::min(fewest, contradictions_of(one, time_us, before()));
  return fewest;
}

// Whoever used it before, it was full at the first denial and admitted again after it. What came
// then follows from at most as many requests as its limit, which it may have counted just before.
bool Examination::explains_use_before(const Hypothesis& found) const {
  const std::vector<Run> runs = runs_of(before());
  if (runs.size() < 2 || contradicted_before(found) == 0) return true;
  const auto again = std::ranges::find(before(), runs[1].from_us, &Record::received_us);
  Record used = *again;
  used.outcome = Outcome::unknown;
  used.received_us = used.sent_us;
  const std::int64_t most = std::max(found.limit_high, found.beside ? found.beside->limit_high : 0);
  std::vector<Record> answers(static_cast<std::size_t>(most), used);
  answers.insert(answers.end(), again, before().end());
  return std::ranges::any_of(found.times_us(), [&](std::int64_t time_us) {
    return !refutation_of(found, time_us, answers).is_any();
  });
}

std::string Examination::doubt() const {
  const Hypothesis one = open().front();
  const Undecided undecided = undecided_of(evidence());
  if (!one.is_narrow()) return "its time is not known to 2 %";
  if (!one.has_known_limit() || (one.beside && undecided.total() > 0))
    return undecided.total() > 0 ? "answers without a decision may have been counted or not"
                                 : "its limit is not known";
  if (!explains_use_before(one)) return "not with those before it";
  return {};
}

std::span<const Record> Examination::evidence() const {
  return std::span(log_.records).subspan(records_before_);
}

// It may have been in use when the examination began, or a stall of a machine came between. Once,
// it is left alone for twice as long as anything that it may remember, and examined as if it were
// new.
std::optional<Tactic> Examination::beginning_again() {
  if (began_again()) return std::nullopt;
  std::int64_t remembered_us = kShortestRestUs;
  const std::vector<Run> runs = runs_of(evidence());
  for (std::size_t i = 1; i < runs.size(); ++i)
    remembered_us = std::max(remembered_us, runs[i].from_us - runs[i - 1].to_us);
  for (Hypothesis at_least : hypotheses_) {
    at_least.high_us = at_least.low_us;
    at_least.beside.reset();
    remembered_us = std::max(remembered_us, at_least.memory_us());
  }
  const std::int64_t rest_us = kRestFactor * remembered_us;
  if (now_us_ - began_us_ + 3 * rest_us > limits_.longest_us) return std::nullopt;
  if (requests_left() < 3 * limit_seen_) return std::nullopt;
  records_before_ = log_.records.size();
  done_before_ = done_.size();
  hypotheses_.clear();
  narrowed_.clear();
  looks_ = 0;
  return Tactic{"once more, after a rest",
                {{.at_us = rest_us, .most = limits_.up_to, .until_denied = true}}};
}

std::optional<Tactic> Examination::telling_apart(std::int64_t now_us) {
  hypotheses_ = fit(evidence(), std::move(hypotheses_), limits_.longest_us);
  if (open().empty() && !are_pairs()) {
    if (std::optional<Tactic> wait = waiting_for_second()) return wait;
    try_pairs();
  }
  if (open().empty() && looks_ < kMostLooks) look_again();
  const std::vector<Hypothesis> remaining = open();
  if (remaining.empty()) {
    if (std::optional<Tactic> again = beginning_again()) return again;
    return end_with(ExaminationEnd::unexplained);
  }
  if (requests_left() == 0) {
    look_again();
    return end_with(ExaminationEnd::out_of_budget);
  }
  std::vector<std::string> spent;
  for (const std::string& name : done_)
    if (times_played(name) >= kMostTries) spent.push_back(name);
  const Situation situation{remaining,
                            evidence(),
                            now_us,
                            round_trip_us(),
                            requests_left(),
                            limits_.longest_us - (now_us - began_us_),
                            spent};
  if (remaining.size() > 1)
    if (std::optional<Separation> apart = separating(situation)) return std::move(apart->tactic);
  return next_narrowing(situation);
}

std::optional<Separation> Examination::telling_more() const {
  constexpr std::int64_t kAnyPrice = std::int64_t{1} << 50;
  const std::vector<Hypothesis> remaining = open();
  if (remaining.size() < 2) return std::nullopt;
  return separating({.open = remaining,
                     .answers = evidence(),
                     .now_us = now_us_,
                     .round_trip_us = round_trip_us(),
                     .requests_left = kAnyPrice,
                     .longest_us = kAnyPrice});
}

// A second rule shows itself only to a client that uses the first one for long.
std::optional<Tactic> Examination::next_lasting(const Situation& situation) const {
  Tactic lasting_for_long = lasting(situation.open.front(), situation);
  if (lasting_for_long.moves.empty()) return std::nullopt;
  if (times_played(lasting_for_long.name) > 0) return std::nullopt;
  return lasting_for_long;
}

// The widest range first.
std::optional<Tactic> Examination::next_narrowing(const Situation& situation) {
  std::vector<Hypothesis> wide{situation.open.begin(), situation.open.end()};
  std::erase_if(wide,
                [](const Hypothesis& one) { return one.is_narrow() && one.has_known_limit(); });
  std::ranges::sort(wide, std::greater(), width_of);
  for (const Hypothesis& one : wide) {
    Tactic narrow = narrowing(one, situation);
    const double width = width_of(one);
    double& before = narrowed_[narrow.name];
    const bool helps = before == 0 || width < 1 + (before - 1) * kProgress;
    if (!helps && times_played(narrow.name) >= kMostMeasurements) continue;
    before = width;
    return narrow;
  }
  if (situation.open.size() == 1 && wide.empty()) {
    if (std::optional<Tactic> more = next_lasting(situation)) return more;
    if (!look_again())
      return end_with(doubt().empty() ? ExaminationEnd::found : ExaminationEnd::several);
    if (looks_ > kMostLooks) return end_with(ExaminationEnd::several);
    return telling_apart(situation.now_us);
  }
  const std::int64_t window_us = situation.open.front().memory_us();
  if (situation.longest_us < 3 * window_us) return end_with(ExaminationEnd::out_of_time);
  if (situation.requests_left < 3 * limit_seen_) return end_with(ExaminationEnd::out_of_budget);
  // One kind is left, and yet its time cannot be found: it may be another kind that was in use.
  if (situation.open.size() == 1 && !situation.open.front().is_narrow())
    if (std::optional<Tactic> again = beginning_again()) return again;
  return end_with(ExaminationEnd::several);
}

std::optional<std::int64_t> Examination::next_us(std::int64_t now_us) {
  if (began_us_ == kNoTime) began_us_ = now_us;
  now_us_ = now_us;
  for (;;) {
    if (done_.size() == 1 && is_delayed()) return end_with(ExaminationEnd::delayed), std::nullopt;
    if (play_ && requests_left() > 0)
      if (const auto at_us = play_->next_us(now_us)) {
        if (*at_us - began_us_ <= limits_.longest_us) return at_us;
        const bool in_vain = limit_seen_ == 0 && done_.size() > 1;
        return end_early(in_vain ? ExaminationEnd::never_admitted : ExaminationEnd::out_of_time),
               std::nullopt;
      }
    play_.reset();
    std::optional<Tactic> tactic = next_tactic(now_us);
    if (!tactic) return std::nullopt;
    tactic_ = *std::move(tactic);
    done_.push_back(tactic_.name);
    play_.emplace(tactic_, now_us);
  }
}

void Examination::note(const Record& answer) {
  log_.records.push_back(answer);
  if (!is_decision(answer)) return;
  play_->note(answer.outcome == Outcome::allowed, answer.sent_us);
  admitted_in_a_row_ = answer.outcome == Outcome::allowed ? admitted_in_a_row_ + 1 : 0;
  limit_seen_ = std::max(limit_seen_, admitted_in_a_row_);
}

}  // namespace rlctl
