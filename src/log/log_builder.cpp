#include "log/log_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "log/log_parts.h"
#include "policy/target.h"

namespace rlctl {

void LineMap::add(std::uint32_t record, SourceLine source) {
  if (!runs_.empty()) {
    const Run& run = runs_.back();
    if (run.first.file == source.file &&
        run.first.line + (record - run.first_record) == source.line)
      return;
  }
  runs_.push_back({record, source});
}

SourceLine LineMap::line_of(std::uint32_t record) const {
  const auto after = std::upper_bound(
      runs_.begin(), runs_.end(), record,
      [](std::uint32_t wanted, const Run& run) { return wanted < run.first_record; });
  if (after == runs_.begin()) return {};
  const Run& run = *std::prev(after);
  return {run.first.file, run.first.line + (record - run.first_record)};
}

std::size_t HistoryBuilder::records() const {
  return parts_ ? parts_->records() : log_.records.size();
}

const char* HistoryBuilder::add(Record record, const Names& names, SourceLine source,
                                const Finish& finish) {
  const std::uint32_t phase = phases_.number_of(names.phase);
  if (phase > std::numeric_limits<std::uint8_t>::max()) return "the log has more than 256 phases";
  // The header's targets keep their order, also one that was never asked.
  if (records() == 0)
    for (const std::string& name : log_.targets) targets_.number_of(name);
  const std::uint32_t target = targets_.number_of(names.target);
  if (target >= kMostTargets) return "the log has more than 64 targets";
  const std::uint32_t who = identities_.number_of(names.who);
  if (who > std::numeric_limits<std::uint16_t>::max())
    return "the log has more than 65,536 different values of `who`: these are groups of clients";
  record.phase = static_cast<std::uint8_t>(phase);
  record.target = target & (kMostTargets - 1);
  record.who = static_cast<std::uint16_t>(who);
  if (finish.sent_us != kNoTime) log_.has_finishes = true;
  denials_.denied += record.outcome == Outcome::denied;
  denials_.status_403 += record.status == 403;
  denials_.status_503 += record.status == 503;
  if (parts_) return parts_->add(record, names.key, source, finish);
  record.key = keys_.number_of(names.key);
  add_others(names.others);
  lines_.add(static_cast<std::uint32_t>(log_.records.size()), source);
  if (finish.sent_us != kNoTime || finish.actual_cost >= 0)
    log_.set_finish(log_.records.size(), finish);
  log_.records.push_back(record);
  return nullptr;
}

void HistoryBuilder::add_others(const std::vector<std::string_view>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;
    if (others_.size() <= i) others_.resize(i + 1);
    others_[i].number_of("");
    log_.names[i].set(log_.records.size(), others_[i].number_of(values[i]));
  }
}

void HistoryBuilder::saw_interval(bool has_duration, std::int64_t widened_us) {
  has_durations_ = has_durations_ || has_duration;
  least_widened_us_ = std::min(least_widened_us_, widened_us);
  log_.widened_us = std::max(log_.widened_us, widened_us);
}

Log HistoryBuilder::take_log() {
  if (parts_) parts_->finish();
  for (std::size_t i = 0; i < others_.size(); ++i)
    if (!others_[i].texts().empty()) log_.names[i].values = others_[i].take();
  log_.keys = keys_.take();
  log_.identities = identities_.take();
  log_.phases = phases_.take();
  log_.targets = targets_.take();
  log_.lacks_durations = records() > 0 && !has_durations_;
  log_.lacks_latencies = log_.lacks_durations || least_widened_us_ < log_.widened_us;
  return std::move(log_);
}

}  // namespace rlctl
