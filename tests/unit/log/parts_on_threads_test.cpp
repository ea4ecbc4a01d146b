// As verify does it: one thread packs what another one reads, most goes to a file, and then the
// parts of the keys are read on several threads. Also under ThreadSanitizer (thread_tests).
#include <doctest/doctest.h>

#include <string>

#include "io/workers.h"
#include "log/log_parts.h"
#include "log/spill_file.h"

namespace rlctl {

TEST_CASE("parts of the keys that are packed aside are read on several threads") {
  constexpr std::int64_t kRecords = 30'000;
  const auto memory = std::make_shared<PartsMemory>(
      40'000, std::make_unique<SpillFile>(),
      [assistant = std::make_shared<Assistant>()](std::function<void()> work) {
        assistant->begin(std::move(work));
      });
  LogParts first(memory);
  LogParts second(memory);
  for (std::int64_t i = 0; i < kRecords; ++i) {
    Record record;
    record.sent_us = 1'700'000'000'000'000 + i;
    record.outcome = Outcome::allowed;
    LogParts& log = i % 3 == 0 ? second : first;
    REQUIRE(log.add(record, "user:" + std::to_string(i % 701), {}, {}) == nullptr);
  }
  first.finish();
  second.finish();
  for (const LogParts* log : {&first, &second}) {
    std::vector<std::int64_t> sums(LogParts::kParts);
    std::int64_t sum = 0;
    work_on_threads(
        4, LogParts::kParts,
        [&](std::size_t part) {
          log->read(part, [&](const NumberedRecord& row, std::uint32_t) {
            sums[part] += row.record.sent_us - 1'700'000'000'000'000;
          });
        },
        [&](std::size_t part) { sum += sums[part]; });
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < kRecords; ++i)
      if ((log == &second) == (i % 3 == 0)) expected += i;
    CHECK(sum == expected);
  }
}

}  // namespace rlctl
