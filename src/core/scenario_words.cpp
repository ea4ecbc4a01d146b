#include "core/scenario_words.h"

namespace rlctl {
namespace {

constexpr Word<ScenarioClock> kClockWords[] = {{"wall", ScenarioClock::wall},
                                               {"virtual", ScenarioClock::virtual_time}};

constexpr Word<RunChoice> kRunChoiceWords[] = {{"server", RunChoice::server},
                                               {"client", RunChoice::client}};

constexpr Word<ContractKind> kContractKindWords[] = {{"none", ContractKind::none},
                                                     {"sliding", ContractKind::sliding},
                                                     {"fixed", ContractKind::fixed},
                                                     {"anchored", ContractKind::anchored},
                                                     {"bucket", ContractKind::bucket}};

constexpr Word<VerdictKind> kVerdictKindWords[] = {{"holds", VerdictKind::holds},
                                                   {"violated", VerdictKind::violated},
                                                   {"inconclusive", VerdictKind::inconclusive}};

constexpr Word<TargetKind> kTargetKindWords[] = {{"embedded", TargetKind::embedded},
                                                 {"redis", TargetKind::redis},
                                                 {"http", TargetKind::http},
                                                 {"serve", TargetKind::serve}};

constexpr Word<OnError> kOnErrorWords[] = {{"open", OnError::open}, {"closed", OnError::closed}};

constexpr Word<Pick> kPickWords[] = {
    {"round_robin", Pick::round_robin}, {"uniform", Pick::uniform}, {"zipf", Pick::zipf}};

constexpr Word<ArrivalPattern> kArrivalPatternWords[] = {{"even", ArrivalPattern::even},
                                                         {"poisson", ArrivalPattern::poisson}};

constexpr Word<OnDeny> kOnDenyWords[] = {
    {"drop", OnDeny::drop}, {"retry_after", OnDeny::retry_after}, {"backoff", OnDeny::backoff}};

constexpr Word<Anchor> kAnchorWords[] = {
    {"none", Anchor::none}, {"window", Anchor::window_edge}, {"first_hit", Anchor::first_hit}};

constexpr Word<TrafficModel> kTrafficModelWords[] = {{"rate", TrafficModel::rate},
                                                     {"bursts", TrafficModel::bursts},
                                                     {"users", TrafficModel::users},
                                                     {"consumers", TrafficModel::consumers},
                                                     {"replay", TrafficModel::replay}};

constexpr Word<FaultKind> kFaultKindWords[] = {{"script_flush", FaultKind::script_flush},
                                               {"redis_restart", FaultKind::redis_restart},
                                               {"redis_pause", FaultKind::redis_pause},
                                               {"clock_skew", FaultKind::clock_skew},
                                               {"client_crash", FaultKind::client_crash}};

constexpr Word<Metric> kMetricWords[] = {{"offered", Metric::offered},
                                         {"allowed", Metric::allowed},
                                         {"denied", Metric::denied},
                                         {"unknown", Metric::unknown},
                                         {"failed", Metric::failed},
                                         {"late", Metric::late},
                                         {"dropped", Metric::dropped},
                                         {"peak", Metric::peak},
                                         {"burst_factor", Metric::burst_factor},
                                         {"over_admitted", Metric::over_admitted},
                                         {"false_denied", Metric::false_denied},
                                         {"accuracy", Metric::accuracy},
                                         {"slack", Metric::slack},
                                         {"completed", Metric::completed},
                                         {"retry_after_error", Metric::retry_after_error},
                                         {"recovery", Metric::recovery},
                                         {"latency", Metric::latency},
                                         {"service", Metric::service}};

constexpr Word<Statistic> kStatisticWords[] = {{"mean", Statistic::mean}, {"p50", Statistic::p50},
                                               {"p95", Statistic::p95},   {"p99", Statistic::p99},
                                               {"p999", Statistic::p999}, {"max", Statistic::max}};

constexpr Word<Comparison> kComparisonWords[] = {
    {"<", Comparison::less},      {"<=", Comparison::at_most}, {">", Comparison::more},
    {">=", Comparison::at_least}, {"==", Comparison::equal},   {"!=", Comparison::not_equal}};

}  // namespace

std::span<const Word<ScenarioClock>> words_of(ScenarioClock) { return kClockWords; }
std::span<const Word<RunChoice>> words_of(RunChoice) { return kRunChoiceWords; }
std::span<const Word<ContractKind>> words_of(ContractKind) { return kContractKindWords; }
std::span<const Word<VerdictKind>> words_of(VerdictKind) { return kVerdictKindWords; }
std::span<const Word<TargetKind>> words_of(TargetKind) { return kTargetKindWords; }
std::span<const Word<OnError>> words_of(OnError) { return kOnErrorWords; }
std::span<const Word<Pick>> words_of(Pick) { return kPickWords; }
std::span<const Word<ArrivalPattern>> words_of(ArrivalPattern) { return kArrivalPatternWords; }
std::span<const Word<OnDeny>> words_of(OnDeny) { return kOnDenyWords; }
std::span<const Word<Anchor>> words_of(Anchor) { return kAnchorWords; }
std::span<const Word<TrafficModel>> words_of(TrafficModel) { return kTrafficModelWords; }
std::span<const Word<FaultKind>> words_of(FaultKind) { return kFaultKindWords; }
std::span<const Word<Metric>> words_of(Metric) { return kMetricWords; }
std::span<const Word<Statistic>> words_of(Statistic) { return kStatisticWords; }
std::span<const Word<Comparison>> words_of(Comparison) { return kComparisonWords; }

std::string metric_name(Metric metric, Statistic statistic) {
  std::string name = word_for(metric);
  if (statistic != Statistic::none) name += std::string(".") + word_for(statistic);
  return name;
}

}  // namespace rlctl
