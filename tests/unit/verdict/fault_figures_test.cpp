// What a fault did, on small logs: 2 per second are allowed, and the fault lasts from 10 s to 12 s.
#include "verdict/outcome/fault_figures.h"

#include <doctest/doctest.h>

using namespace rlctl;

namespace {

constexpr FaultTime kFault{10 * kSecondUs, 12 * kSecondUs};

class FaultLog {
 public:
  FaultLog() {
    log_.policy = policy_of({Rule{.limit = 2, .window_us = kSecondUs}});
    log_.keys = {"k"};
  }

  // Each 100 ms after the one before it.
  FaultLog& ask(std::int64_t from_us, int count, Outcome outcome) {
    for (int i = 0; i < count; ++i) {
      Record record;
      record.intended_us = from_us + i * 100'000;
      record.outcome = outcome;
      if (outcome != Outcome::failed) record.sent_us = record.intended_us;
      if (outcome <= Outcome::denied) record.received_us = record.intended_us + 100;
      log_.records.push_back(record);
    }
    return *this;
  }

  // Allowed, but no replica confirmed it.
  FaultLog& ask_in_vain(std::int64_t from_us, int count) {
    const std::size_t first = log_.records.size();
    ask(from_us, count, Outcome::allowed);
    for (std::size_t i = first; i < log_.records.size(); ++i) {
      log_.records[i].outcome = Outcome::unknown;
      log_.records[i].server_us = log_.records[i].sent_us;
    }
    return *this;
  }

  // One request, answered so late; kNoTime: never.
  FaultLog& ask_in_flight(std::int64_t from_us, Outcome outcome, std::int64_t received_us) {
    ask(from_us, 1, outcome);
    log_.records.back().received_us = received_us;
    return *this;
  }

  FaultLog& waits(std::int64_t timeout_us) {
    log_.timeout_us = timeout_us;
    return *this;
  }

  FaultFigures figures() const { return figures({&kFault, 1}).at(0); }
  std::vector<FaultFigures> figures(std::span<const FaultTime> faults) const {
    JudgeOptions options;
    options.fresh = true;
    const Verdict verdict = judge(log_, options);
    const FaultedLog faulted{log_, verdict, [&](const Log&) { return options; }};
    return fault_figures({&faulted, 1}, faults);
  }

 private:
  Log log_;
};

}  // namespace

TEST_CASE("a fault is counted until decisions are right again, beside the run before it") {
  const FaultFigures figures = FaultLog()
                                   .ask(7 * kSecondUs, 2, Outcome::allowed)
                                   .ask(9 * kSecondUs, 2, Outcome::allowed)
                                   .ask(9'500'000, 3, Outcome::denied)
                                   .ask(10'500'000, 4, Outcome::failed)
                                   .ask(12'500'000, 1, Outcome::unknown)
                                   .ask(14 * kSecondUs, 2, Outcome::allowed)
                                   .figures();
  CHECK(figures.during.lasted_us == 2'500'000);
  CHECK(figures.during.failed == 4);
  CHECK(figures.during.unknown == 1);
  CHECK(figures.during.allowed == 0);
  CHECK(figures.right_after_us == 4'000'100);
  CHECK(figures.admits_after_us == 4'000'100);
  CHECK(figures.shut_us == 0);
  CHECK(figures.before.lasted_us == 3 * kSecondUs);
  CHECK(figures.before.allowed == 4);
  CHECK(figures.before.denied == 3);
}

TEST_CASE("a request in flight when a fault begins belongs to it, and its fallbacks") {
  const FaultFigures figures = FaultLog()
                                   .waits(kSecondUs)
                                   .ask(7 * kSecondUs, 1, Outcome::unknown)  // given up at 8 s
                                   .ask(9'500'000, 2, Outcome::unknown)
                                   .ask_in_flight(9'700'000, Outcome::allowed, 9'999'999)
                                   .ask_in_flight(9'800'000, Outcome::denied, 10'000'001)
                                   .ask(13 * kSecondUs, 1, Outcome::allowed)
                                   .figures();
  CHECK(figures.before.unknown == 1);
  CHECK(figures.before.allowed == 1);
  CHECK(figures.before.denied == 0);
  CHECK(figures.during.unknown == 2);
  CHECK(figures.during.denied == 1);
  REQUIRE(figures.fallbacks.size() == 3);
  CHECK(figures.fallbacks[0].admitted == 2);
}

TEST_CASE("a request planned just before a fault, which it kept from being sent, belongs to it") {
  const FaultFigures figures = FaultLog()
                                   .ask(9 * kSecondUs, 1, Outcome::failed)
                                   .ask(9'999'500, 1, Outcome::failed)
                                   .ask(13 * kSecondUs, 1, Outcome::allowed)
                                   .figures();
  CHECK(figures.before.failed == 1);
  CHECK(figures.during.failed == 1);
}

TEST_CASE("what an earlier fault left without a decision stays with it") {
  constexpr FaultTime kFaults[] = {{10 * kSecondUs, 12 * kSecondUs},
                                   {13 * kSecondUs, 14 * kSecondUs}};
  const std::vector<FaultFigures> figures = FaultLog()
                                                .waits(5 * kSecondUs)
                                                .ask(8 * kSecondUs, 1, Outcome::allowed)
                                                .ask(11 * kSecondUs, 3, Outcome::unknown)
                                                .ask(12'500'000, 1, Outcome::unknown)
                                                .ask(15 * kSecondUs, 1, Outcome::allowed)
                                                .figures(kFaults);
  CHECK(figures.at(0).during.unknown == 3);
  CHECK(figures.at(1).during.unknown == 1);
  CHECK(figures.at(0).before.lasted_us == 2 * kSecondUs);
  CHECK(figures.at(1).before.lasted_us == 2 * kSecondUs);
}

TEST_CASE("requests without a decision are answered in three ways, side by side") {
  const FaultFigures figures = FaultLog()
                                   .ask(9'800'000, 2, Outcome::allowed)
                                   .ask(10'100'000, 5, Outcome::failed)
                                   .ask(14 * kSecondUs, 1, Outcome::allowed)
                                   .figures();
  CHECK(figures.during.over_admitted == 0);
  REQUIRE(figures.fallbacks.size() == 3);
  const FallbackFigures& open = figures.fallbacks[0];
  const FallbackFigures& closed = figures.fallbacks[1];
  const FallbackFigures& local = figures.fallbacks[2];
  CHECK(open.admitted == 5);
  CHECK(open.over_admitted == 5);  // two were admitted just before
  CHECK(closed.denied == 5);
  CHECK(closed.over_admitted == 0);
  // It knows nothing of the two.
  CHECK(local.admitted == 2);
  CHECK(local.denied == 3);
  CHECK(local.over_admitted == 2);
}

TEST_CASE("what replicas did not confirm is let in without WAIT, beside the other answers") {
  const FaultFigures figures = FaultLog()
                                   .ask(9'800'000, 1, Outcome::allowed)
                                   .ask_in_vain(10'100'000, 3)
                                   .ask(10'400'000, 2, Outcome::unknown)
                                   .ask(10'600'000, 1, Outcome::allowed)
                                   .figures();
  CHECK(figures.during.over_admitted == 0);
  CHECK(figures.during.unknown == 5);
  REQUIRE(figures.fallbacks.size() == 4);
  const FallbackFigures& unwaited = figures.fallbacks[3];
  CHECK(unwaited.fallback == Fallback::unwaited);
  CHECK(unwaited.admitted == 3);
  CHECK(unwaited.denied == 0);
  CHECK(unwaited.over_admitted == 3);  // of five within a second
}

TEST_CASE("a limiter that is shut after a fault is not one that may deny") {
  const auto after = [](Outcome outcome) {
    return FaultLog()
        .ask(9'900'000, 1, Outcome::allowed)
        .ask(11'900'000, 1, Outcome::allowed)
        .ask(11'950'000, 1, Outcome::allowed)
        .ask(12'100'000, 5, outcome)
        .figures();
  };
  CHECK(after(Outcome::denied).shut_us == 0);
  CHECK(after(Outcome::denied).asked_after == 5);
  CHECK_FALSE(after(Outcome::denied).admits_after_us);
  CHECK(after(Outcome::failed).shut_us == 500'000);
  // With an empty window, a denial is as wrong as no decision.
  CHECK(FaultLog().ask(13 * kSecondUs, 30, Outcome::denied).figures().shut_us == 3'900'000);
}
