#include "verdict/outcome/part_histories.h"

#include "verdict/judge_key.h"

namespace rlctl {

PartHistories::PartHistories(const LogParts& parts, std::size_t part, const Log& head,
                             const FramedRules& framed) {
  const std::vector<Coming> coming = count(parts, part, head.servers > 1);
  std::vector<KeyFrame> frames;
  std::vector<KeyHistoryBuilder> builders;
  builders.reserve(coming.size());
  for (const Coming& key : coming) {
    frames.push_back(frame_of_key(framed, key.clock));
    builders.emplace_back(work_ends(head, framed.rules, framed.options));
    builders.back().expect(key.admitted, key.denied);
  }
  std::vector<std::string> texts =
      parts.read(part, [&](const NumberedRecord& row, std::uint32_t key) {
        builders[key].add(row.record, row.number, row.finish, frames[key].frame);
      });
  keys_.reserve(coming.size());
  for (std::size_t i = 0; i < coming.size(); ++i) {
    keys_.push_back({std::move(texts[i]), coming[i].first_record, builders[i].take()});
    keys_.back().history.from_us = frames[i].from_us;
  }
}

std::vector<PartHistories::Coming> PartHistories::count(const LogParts& parts, std::size_t part,
                                                        bool several_servers) const {
  std::vector<Coming> keys;
  parts.read(part, [&](const NumberedRecord& row, std::uint32_t number) {
    if (number == keys.size()) keys.emplace_back().first_record = row.number;
    Coming& key = keys[number];
    key.admitted += row.record.outcome == Outcome::allowed;
    key.denied += row.record.outcome == Outcome::denied;
    if (several_servers) key.clock.add(row.record);
  });
  return keys;
}

}  // namespace rlctl
