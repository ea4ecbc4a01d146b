#include "cli/help/option_groups.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace rlctl {
namespace {

struct OptionGroup {
  const char* heading;
  std::vector<std::string_view> options;  // in the order of help
};

const std::vector<OptionGroup>& option_groups() {
  static const std::vector<OptionGroup> groups{
      {"Policy", {"--policy", "--limit", "--window", "--block", "--contract", "--counts-denied"}},
      {"Limiter",
       {"--algo", "--script", "--command", "--as", "--manifest", "--run", "--lua-dir", "--key",
        "--block-key"}},
      {"Traffic",
       {"--for",      "--requests", "--rate",    "--users",    "--keys",   "--items",
        "--on-deny",  "--anchor",   "--cost",    "--hold",     "--vanish", "--pipeline",
        "--threads",  "--rounds",   "--warm-up", "--clock",    "--speed",  "--lockstep",
        "--attempts", "--seed",     "--shard",   "--start-at", "--fault",  "--allow-faults"}},
      {"HTTP",
       {"--target", "--method", "--body", "--header", "--domain", "--descriptor", "--allowed",
        "--denied", "--spread", "--cost-from", "--source-ip", "--proxy", "--engine", "--http2",
        "--i-own-this-target"}},
      {"Redis",
       {"--redis", "-h", "-p", "-s", "-n", "--user", "--pass", "--pass-file", "--timeout",
        "--redis-server"}},
      {"TLS", {"--tls", "--cacert", "--cert", "--cert-key", "--sni", "--insecure"}},
      {"Judging",
       {"--expect", "--expect-contract", "--check", "--baseline", "--fail-if", "--infer",
        "--no-false-denials", "--fresh", "--closed", "--history-from", "--max-inflight",
        "--held-at-least", "--tolerance", "--offset", "--memory", "--part"}},
      {"Budgets",
       {"--budget-false-denials", "--budget-unknown", "--budget-failed", "--budget-late",
        "--budget-dropped", "--budget-bad-lines"}},
      {"Logs of other programs",
       {"--format", "--time-column", "--key-column", "--status-column", "--duration-column",
        "--name-column", "--stamp", "--longest"}},
      {"Search",
       {"--events", "--time-steps", "--clock-spread", "--most-states", "--random", "--depth",
        "--replay"}},
      {"Output and help",
       {"--log", "--junit", "--html", "--markdown", "--csv", "--svg", "--json", "--most", "--quiet",
        "--help"}},
  };
  return groups;
}

// Group 0 has what is not in the table.
struct Rank {
  std::size_t group = 0;
  std::ptrdiff_t place = 0;
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const Parameter& option) {
  const auto& groups = option_groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& names = groups[i].options;
    const auto found = std::ranges::find(names, option.names.back());
    if (found != names.end()) return {i + 1, std::distance(names.begin(), found)};
  }
  return {};
}

}  // namespace

void arrange_in_groups(std::vector<Parameter>& options) {
  for (Parameter& option : options) {
    const Rank rank = rank_of(option);
    option.group = rank.group == 0 ? "Options" : option_groups()[rank.group - 1].heading;
  }
  std::ranges::stable_sort(options, {}, rank_of);
}

}  // namespace rlctl
