#include "log/log_parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "base/error.h"
#include "io/workers.h"
#include "tools/memory_store.h"

namespace rlctl {
namespace {

using test::MemoryStore;

// Every field takes its extremes, and repeats.
class RandomRecords {
 public:
  NumberedRecord next() {
    NumberedRecord row;
    row.number = number_++;
    row.source = {number_ / 1000, number_ % 1000 + 2 * number_};
    Record& record = row.record;
    now_us_ += draw(3) * 1'000 - 500;
    record.sent_us = draw(20) == 0 ? kNoTime : now_us_;
    record.received_us = time();
    record.server_us = time();
    record.intended_us = time();
    record.retry_after_us = time();
    record.cost = draw(2) == 0 ? 1 : std::numeric_limits<std::uint32_t>::max();
    record.remaining = static_cast<std::int32_t>(draw(4)) - 1;
    record.server_span_us = static_cast<std::uint16_t>(draw(65'536));
    record.who = static_cast<std::uint16_t>(draw(2) * 65'535);
    record.status = static_cast<std::uint16_t>(draw(1'000)) & 0x3ffU;
    record.target = static_cast<std::uint16_t>(draw(64)) & 0x3fU;
    record.phase = static_cast<std::uint8_t>(draw(256));
    record.outcome = static_cast<Outcome>(draw(4));
    row.finish = {time(), time(), draw(3) - 1};
    return row;
  }
  std::int64_t draw(std::int64_t below) {
    return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_);
  }

 private:
  std::int64_t time() { return draw(3) == 0 ? kNoTime : now_us_ + draw(1'000'000); }

  std::mt19937_64 random_{7};
  std::int64_t now_us_ = 1'700'000'000'000'000;
  std::uint32_t number_ = 0;
};

bool equal(const Record& a, const Record& b) {
  return a.intended_us == b.intended_us && a.sent_us == b.sent_us &&
         a.received_us == b.received_us && a.server_us == b.server_us &&
         a.retry_after_us == b.retry_after_us && a.cost == b.cost && a.remaining == b.remaining &&
         a.server_span_us == b.server_span_us && a.who == b.who && a.status == b.status &&
         a.target == b.target && a.phase == b.phase && a.outcome == b.outcome;
}

class FullStore : public ByteStore {
 public:
  Extent put(std::string_view) override { throw Error(Exit::report, "the disk is full"); }
  std::string get(const Extent&) const override { return {}; }
};

WorkAside on_another_thread() {
  return [assistant = std::make_shared<Assistant>()](std::function<void()> work) {
    assistant->begin(std::move(work));
  };
}

void comes_back(std::int64_t most_bytes, const WorkAside& aside = {}) {
  const auto memory =
      std::make_shared<PartsMemory>(most_bytes, std::make_unique<MemoryStore>(), aside);
  LogParts parts(memory);
  RandomRecords random;
  std::vector<NumberedRecord> rows;
  std::vector<std::string> keys;
  for (int i = 0; i < 10'000; ++i) {
    rows.push_back(random.next());
    keys.push_back("user:" + std::to_string(random.draw(700)));
    REQUIRE(parts.add(rows.back().record, keys.back(), rows.back().source, rows.back().finish) ==
            nullptr);
  }
  parts.finish();
  std::size_t seen = 0;
  std::map<std::string, std::size_t> part_of;
  for (std::size_t number = 0; number < LogParts::kParts; ++number) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // records and their keys
    const auto texts = parts.read(number, [&](const NumberedRecord& back, std::uint32_t key) {
      const NumberedRecord& row = rows[back.number];
      CHECK(equal(back.record, row.record));
      CHECK(back.finish == row.finish);
      CHECK(back.source.line == row.source.line);
      CHECK(back.source.file == row.source.file);
      found.emplace_back(back.number, key);
    });
    CHECK(found.size() == parts.records_of(number));
    CHECK(std::ranges::is_sorted(found, {}, [](const auto& pair) { return pair.first; }));
    for (const auto& [record, key] : found) {
      CHECK(texts[key] == keys[record]);
      CHECK(part_of.try_emplace(texts[key], number).first->second == number);
      ++seen;
    }
  }
  CHECK(seen == rows.size());
}

TEST_CASE("every record comes back as it was, and those of a key in one part") {
  comes_back(std::int64_t{1} << 40);
}

TEST_CASE("the same from a store that gets parts again and again") { comes_back(40'000); }

TEST_CASE("the same if another thread packs what was read") {
  comes_back(std::int64_t{1} << 40, on_another_thread());
  comes_back(40'000, on_another_thread());
}

TEST_CASE("what keeps the other thread from packing is told, and nothing else is") {
  const auto memory =
      std::make_shared<PartsMemory>(100, std::make_unique<FullStore>(), on_another_thread());
  LogParts parts(memory);
  LogParts others(memory);
  RandomRecords random;
  const auto fill = [&] {
    for (int i = 0; i < 20'000; ++i) {
      parts.add(random.next().record, "k", {}, {});
      others.add(random.next().record, "k", {}, {});
    }
    parts.finish();
    others.finish();
  };
  CHECK_THROWS_WITH_AS(fill(), "the disk is full", Error);
}

TEST_CASE("a log that is dropped while another thread packs it") {
  const auto memory =
      std::make_shared<PartsMemory>(100, std::make_unique<FullStore>(), on_another_thread());
  LogParts parts(memory);
  RandomRecords random;
  for (int i = 0; i < 5'000; ++i) parts.add(random.next().record, "k", {}, {});
}

TEST_CASE("in flight: as if all times were sorted at once") {
  for (const std::int64_t most_bytes : {std::int64_t{1} << 40, std::int64_t{3'000}}) {
    const auto memory = std::make_shared<PartsMemory>(most_bytes, std::make_unique<MemoryStore>());
    LogParts parts(memory);
    RandomRecords random;
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
    for (int i = 0; i < 4'000; ++i) {
      Record record;
      record.outcome = Outcome::allowed;
      record.sent_us = i * 10 + random.draw(2'000);
      record.received_us = record.sent_us + random.draw(500);
      sent.push_back(record.sent_us);
      received.push_back(record.received_us);
      parts.add(record, "k", {}, {});
    }
    parts.finish();
    std::ranges::sort(sent);
    std::ranges::sort(received);
    std::int64_t most = 1;
    for (std::size_t i = 0, done = 0; i < sent.size(); ++i) {
      while (done < i && received[done] <= sent[i]) ++done;
      most = std::max(most, static_cast<std::int64_t>(i + 1 - done));
    }
    CHECK(parts.most_in_flight() == most);
  }
}

}  // namespace
}  // namespace rlctl
