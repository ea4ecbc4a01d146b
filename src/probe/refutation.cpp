#include "probe/refutation.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "probe/model.h"

namespace rlctl {
namespace {

constexpr std::int64_t kClockUs = 2'000;

// One way in which the answers without a decision may have been decided.
struct Reading {
  Model early;
  Model late;

  bool operator==(const Reading&) const = default;
  bool explains(bool admitted, std::int64_t from_us, std::int64_t to_us) const;
  void note(bool admitted, const Record& answer) {
    early.note(admitted, answer.sent_us);
    late.note(admitted, answer.received_us);
  }
};

// Most answers are explained by the first that is asked.
bool Reading::explains(bool admitted, std::int64_t from_us, std::int64_t to_us) const {
  return admitted ? early.has_room(to_us) || late.has_room(to_us) || early.has_room(from_us) ||
                        late.has_room(from_us)
                  : !late.has_room(from_us) || !early.has_room(from_us) || !late.has_room(to_us) ||
                        !early.has_room(to_us);
}

// Each undecided answer doubles the readings, but most become equal again. One that is left out may
// be what happened, so that nothing is refuted any more.
constexpr std::size_t kMostReadings = 16;

class Readings {
 public:
  Readings(const Hypothesis& hypothesis, std::int64_t time_us, bool each_alone)
      : readings_{{Model(hypothesis, time_us, Leaning::lenient),
                   Model(hypothesis, time_us, Leaning::strict)}},
        each_alone_(each_alone),
        begins_with_request_(hypothesis.row().begins_with_request),
        clock_us_(lateness_us(time_us)) {}

  // False: no reading explains it.
  bool note(const Record& answer);
  void note_undecided(const Record& answer);

 private:
  std::int64_t from_us(const Record& answer) const { return answer.sent_us - clock_us_; }
  std::int64_t to_us(const Record& answer) const { return answer.received_us + clock_us_; }

  std::vector<Reading> readings_;  // at first one, which counts nothing of them early, all late
  bool each_alone_;
  bool begins_with_request_;
  std::int64_t clock_us_;
  bool gave_up_ = false;
};

bool Readings::note(const Record& answer) {
  const bool admitted = answer.outcome == Outcome::allowed;
  const auto explains = [&](const Reading& one) {
    return one.explains(admitted, from_us(answer), to_us(answer));
  };
  const bool is_explained = std::ranges::any_of(readings_, explains);
  if (is_explained) std::erase_if(readings_, std::not_fn(explains));
  for (Reading& one : readings_) one.note(admitted, answer);
  return is_explained || gave_up_;
}

// The more is counted, the less room there is: then one that counts nothing when it is asked early,
// and all when it is asked late, stands for all readings. A window that begins with a request may
// begin with this one, and then there is room sooner.
void Readings::note_undecided(const Record& answer) {
  if (!each_alone_ || !begins_with_request_) {
    Model& late = readings_.front().late;
    const Model& has_most_room = each_alone_ ? readings_.front().early : late;
    return late.note(has_most_room.has_room(to_us(answer)), answer.received_us);
  }
  const std::size_t before = readings_.size();
  for (std::size_t i = 0; i < before; ++i)
    for (const bool admitted : {false, true}) {
      if (!readings_[i].explains(admitted, from_us(answer), to_us(answer))) continue;
      Reading decided = readings_[i];
      decided.note(admitted, answer);
      if (std::ranges::find(readings_, decided) == readings_.end())
        readings_.push_back(std::move(decided));
    }
  gave_up_ = gave_up_ || readings_.size() > kMostReadings;
  while (readings_.size() > kMostReadings)
    readings_.erase(readings_.begin() + static_cast<std::ptrdiff_t>(readings_.size() / 2));
}

// The first ones that are not explained, `most` of them.
std::vector<const Record*> unexplained(Readings readings, std::span<const Record> answers,
                                       std::size_t most) {
  std::vector<const Record*> found;
  for (const Record& answer : answers)
    if (answer.outcome <= Outcome::denied) {
      if (!readings.note(answer)) found.push_back(&answer);
      if (found.size() == most) break;
    } else if (answer.outcome == Outcome::unknown && answer.received_us != kNoTime) {
      readings.note_undecided(answer);
    }
  return found;
}

}  // namespace

std::int64_t lateness_us(std::int64_t time_us) {
  return std::max(std::min(kClockUs, time_us / 10), std::min(kMostLateUs, time_us / 100));
}

Refutation refutation_of(const Hypothesis& hypothesis, std::int64_t time_us,
                         std::span<const Record> answers, bool each_alone) {
  const auto first = unexplained({hypothesis, time_us, each_alone}, answers, 1);
  return {first.empty() ? nullptr : first.front()};
}

std::int64_t contradictions_of(const Hypothesis& hypothesis, std::int64_t time_us,
                               std::span<const Record> answers) {
  return std::ssize(unexplained({hypothesis, time_us, true}, answers, answers.size() + 1));
}

}  // namespace rlctl
