#include "io/redis/deployment/embedded_redis.h"

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

// With one master there is no other slot; more would not fit a small machine.
constexpr int kFewestMasters = 2;
constexpr int kMostNodes = 32;

}  // namespace

std::optional<ClusterSize> parse_embedded(std::string_view text, std::string_view where) {
  if (text == "single") return std::nullopt;
  std::string_view rest = text;
  const bool is_cluster = take_until(rest, ':') == "cluster";
  const auto masters = parse_whole<int>(take_until(rest, '+'));
  const auto replicas = rest.empty() ? 0 : parse_whole<int>(rest);
  const bool fits = masters && replicas && *masters >= kFewestMasters && *replicas >= 0 &&
                    *masters <= kMostNodes && *replicas <= kMostNodes - *masters;
  if (!is_cluster || !fits)
    throw Error(Exit::usage, std::string(where) + ": " + in_quotes(text) + " is no private Redis",
                "write single, cluster:3 (masters) or cluster:3+3 (masters and replicas)");
  return ClusterSize{*masters, *replicas};
}

EmbeddedRedis::EmbeddedRedis(const EmbeddedSpec& spec) {
  if (spec.cluster)
    cluster_.emplace(spec.program, *spec.cluster);
  else
    single_.emplace(spec.program);
}

Task<> EmbeddedRedis::get_ready(Loop& loop) {
  if (cluster_) co_await cluster_->form(loop);
}

Endpoint EmbeddedRedis::endpoint() const {
  return cluster_ ? cluster_->endpoint() : single_->endpoint();
}

}  // namespace rlctl
