#include "log/run_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostNamed = 5;

struct Part {
  std::uint32_t index = 0;
  std::uint32_t count = 0;
};

Part part_of(const Log& header) {
  const std::string_view text = header.shard;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto index = parse_whole<std::uint32_t>(text.substr(0, slash));
  const auto count = parse_whole<std::uint32_t>(text.substr(std::min(slash + 1, text.size())));
  if (!index || !count || *index == 0 || *index > *count)
    throw Error(Exit::usage,
                "the log's header: shard is " + in_quotes(text) + ", not a part such as 1/3",
                "correct the header");
  return {*index, *count};
}

std::string name_of(std::uint32_t index, std::uint32_t count) {
  return fmt::format("{}/{}", index, count);
}

std::string history_of(const Log& header) {
  return fmt::format("{}\n{}", header.algorithm, header.history);
}

}  // namespace

void RunParts::add(const Log& header) {
  if (header.run_id.empty()) return;
  const Part part = part_of(header);
  refuse_twice(header);
  Run& run = runs_[header.run_id];
  if (run.played.empty()) run.count = part.count;
  if (run.count != part.count)
    throw Error(Exit::usage,
                fmt::format("part {} does not belong to the others: run {} has {}", header.shard,
                            in_quotes(header.run_id), counted(run.count, "part")),
                "give the logs of one run");
  run.played.insert(part.index);
  refuse_mixture(header);
}

// If two files held the same part of the same run, every admission would count twice.
void RunParts::refuse_twice(const Log& header) {
  const std::string part =
      fmt::format("{}\n{}\n{}", header.run_id, header.shard, history_of(header));
  if (in_earlier_files_.contains(part))
    throw Error(
        Exit::usage,
        fmt::format("part {} of run {} was given twice", header.shard, in_quotes(header.run_id)),
        "give each log once");
  in_file_.insert(part);
}

void RunParts::refuse_mixture(const Log& header) {
  std::set<std::string>& together = runs_of_history_[history_of(header)];
  together.insert(header.run_id);
  if (together.size() < 2) return;
  const auto in_parts = [this](const std::string& run) { return runs_.at(run).count > 1; };
  if (std::ranges::none_of(together, in_parts)) return;
  const auto other =
      std::ranges::find_if(together, [&](const std::string& run) { return run != header.run_id; });
  throw Error(Exit::usage,
              fmt::format("part {} of run {} is mixed with run {}", header.shard,
                          in_quotes(header.run_id), in_quotes(*other)),
              "give the logs of one run: its parts have the same scenario, seed and start time");
}

void RunParts::refuse_incomplete() const {
  if (runs_.size() < 2) return;
  const auto lacks = [](const auto& one) { return one.second.played.size() < one.second.count; };
  const auto found = std::ranges::find_if(runs_, lacks);
  if (found == runs_.end()) return;
  const auto& other = found == runs_.begin() ? *std::next(found) : *runs_.begin();
  throw Error(Exit::usage,
              fmt::format("run {} lacks part {}, and there are logs of run {}",
                          in_quotes(found->first), missing(found->second), in_quotes(other.first)),
              "give the logs of one run: its parts have the same scenario, seed and start time");
}

std::string RunParts::missing(const Run& run) {
  const std::size_t count = run.count - run.played.size();
  std::vector<std::string> lacks;
  for (std::uint32_t index = 1; lacks.size() < std::min(count, kMostNamed); ++index)
    if (!run.played.contains(index)) lacks.push_back(name_of(index, run.count));
  return joined(lacks) +
         (count > lacks.size() ? fmt::format(" and {} more", count - lacks.size()) : "");
}

void RunParts::describe(const std::set<std::string>& runs, Log& log) const {
  log.shard = kWholeRun;
  if (runs.size() > 1) log.runs.assign(runs.begin(), runs.end());
  for (const std::string& id : runs) {
    const Run& run = runs_.at(id);
    if (run.played.size() == run.count) continue;
    std::vector<std::string> have;
    for (const std::uint32_t index : run.played) have.push_back(name_of(index, run.count));
    log.shard = joined(have);
    log.missing = missing(run);
  }
}

std::string runs_in_words(const std::vector<std::string>& runs) {
  std::vector<std::string> named;
  for (const std::string& id : runs)
    if (named.size() < kMostNamed) named.push_back(in_quotes(id));
  const std::size_t more = runs.size() - named.size();
  return fmt::format("{} runs ({}{})", runs.size(), joined(named),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string several_runs_note(const Log& log) {
  if (log.runs.empty()) return {};
  return runs_in_words(log.runs) +
         " are taken as one history: that is right only if one limiter with the same keys decided "
         "them all; else give them one by one";
}

}  // namespace rlctl
