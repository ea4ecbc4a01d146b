#include "inspect/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "inspect/overview.h"

namespace rlctl {
namespace {

// One decimal at most: buckets hold fractions of a request.
std::string format_used(double used) {
  const double tenths = std::round(used * 10);
  if (std::fmod(tenths, 10) == 0) return format_count(std::llround(tenths / 10));
  return fmt::format("{:.1f}", tenths / 10);
}

std::string frees_in_words(const KeyReading& reading) {
  const std::string when = format_duration_for_people(std::max<std::int64_t>(0, *reading.frees_us));
  if (reading.shape == Shape::log) return "the oldest entry expires in " + when;
  if (reading.is_bucket()) {
    if (*reading.frees_us <= 0) return {};
    return "the next is admitted in " + when;
  }
  return "the window ends in " + when;
}

void append(std::string& sentence, const std::string& part) {
  if (part.empty()) return;
  if (!sentence.empty()) sentence += "; ";
  sentence += part;
}

std::string use_in_words(const InspectedKey& key, const Policy& policy) {
  if (key.reading.used) {
    const std::string used = format_used(*key.reading.used);
    const std::string of =
        policy.limit == 0
            ? used + " used"
            : fmt::format("{} of {} used", used, format_count(key.reading.most_used(policy)));
    return of + (key.reading.guess ? ", if it counts requests" : "");
  }
  if (key.reading.shape == Shape::log) return counted(key.state.length, "entry", "entries");
  return {};
}

std::string blocked_in_words(const BlockFlag& block) {
  if (!block.is_set) return {};
  if (!block.left_us) return "blocked for ever: the flag does not expire";
  return "blocked for " + format_duration_for_people(*block.left_us);
}

Task<InspectedKey> inspect_key(Redis& redis, KeyReader& reader, std::string key,
                               InspectionOptions options, std::int64_t now_us) {
  InspectedKey inspected;
  inspected.state = co_await read_key_state(redis, std::move(key), options.most_entries);
  const KeyState& state = inspected.state;
  const bool log = !state.time_unit.empty() && state.problem.empty();
  if (log && options.policy.window_us > 0)
    inspected.live = co_await read_live_entries(redis, state, now_us - options.policy.window_us);
  inspected.reading = reader.read(state, {options.policy, now_us, inspected.live});
  co_return inspected;
}

}  // namespace

bool Inspection::is_partial() const {
  return !block_state.problem.empty() || std::ranges::any_of(keys, [](const InspectedKey& key) {
    return !key.state.problem.empty();
  });
}

Task<Inspection> inspect_limiter(Redis& redis, KeyReader& reader, LimiterKeys limiter,
                                 InspectionOptions options) {
  Inspection inspection;
  inspection.name = limiter.name;
  inspection.now = co_await read_time(redis);
  for (std::string& key : limiter.keys)
    inspection.keys.push_back(
        co_await inspect_key(redis, reader, std::move(key), options, inspection.now.us));
  inspection.block_state = co_await read_key_state(redis, limiter.block_key, 1);
  inspection.block = flag_of(inspection.block_state, inspection.now.us);
  co_return inspection;
}

LimiterRow row_of(const Inspection& inspection, const Policy& policy) {
  Overview overview(policy);
  for (const InspectedKey& key : inspection.keys)
    overview.add(key.state, key.reading, inspection.now.us);
  const std::vector<const LimiterRow*> rows = most_used(overview.rows(), 1);
  LimiterRow row = rows.empty() ? LimiterRow() : *rows.front();
  if (rows.empty()) row.name = inspection.name;
  row.block = inspection.block;
  if (row.problem.empty()) row.problem = inspection.block_state.problem;
  return row;
}

std::string in_words(const Inspection& inspection, const Policy& policy) {
  std::string sentence;
  const bool one = inspection.keys.size() == 1;
  if (one) append(sentence, use_in_words(inspection.keys.front(), policy));
  append(sentence, blocked_in_words(inspection.block));
  if (one && inspection.keys.front().reading.frees_us &&
      inspection.keys.front().reading.used.value_or(0) > 0)
    append(sentence, frees_in_words(inspection.keys.front().reading));
  return sentence;
}

}  // namespace rlctl
