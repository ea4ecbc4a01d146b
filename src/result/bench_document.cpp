#include "result/bench_document.h"

#include "arrivals/attack.h"
#include "scenario/scenario.h"
#include "verdict/figures.h"

namespace rlctl {
void describe(Fields& fields, PolicyDocument& policy) {
  fields.list({"rules", "all of them hold"}, policy.rules);
}

void describe(Fields& fields, LatencyDocument& latency) {
  fields.number({"mean", "microseconds", kOrNull}, latency.mean);
  fields.number({"p50", "the median, microseconds", kOrNull}, latency.p50);
  fields.number({"p90", "percentile, microseconds", kOrNull}, latency.p90);
  fields.number({"p95", "percentile, microseconds", kOrNull}, latency.p95);
  fields.number({"p99", "percentile, microseconds", kOrNull}, latency.p99);
  fields.number({"p999", "percentile 99.9, microseconds", kOrNull}, latency.p999);
  fields.number({"max", "microseconds", kOrNull}, latency.max);
}

void describe(Fields& fields, RoundDocument& round) {
  fields.count({"decisions"}, round.decisions);
  fields.count({"allowed"}, round.allowed);
  fields.count({"unanswered", "unknown and failed"}, round.unanswered);
  fields.number({"seconds"}, round.seconds);
  fields.number({"decisions_per_second"}, round.decisions_per_second);
  fields.object({"latency_us", "from the intended start"}, round.latency_us);
  fields.number({"server_cpu_us_per_decision", "microseconds; null: not known", kOrNull},
                round.server_cpu_us_per_decision);
  fields.number({"client_cpu_us_per_decision", "microseconds"}, round.client_cpu_us_per_decision);
  fields.number({"redis_cpu_percent", "of one core; null: not known", kOrNull},
                round.redis_cpu_percent);
}

void describe(Fields& fields, SpeedDocument& medians) {
  fields.number({"decisions_per_second", "median of the rounds", kOrNull},
                medians.decisions_per_second);
  fields.object({"latency_us", "each percentile's median over the rounds"}, medians.latency_us);
  fields.number({"server_cpu_us_per_decision", "median, microseconds", kOrNull},
                medians.server_cpu_us_per_decision);
  fields.number({"client_cpu_us_per_decision", "median, microseconds", kOrNull},
                medians.client_cpu_us_per_decision);
  fields.number({"redis_cpu_percent", "median, of one core", kOrNull}, medians.redis_cpu_percent);
}

void describe(Fields& fields, DeniedDocument& denied) {
  describe(fields, denied.medians);
  fields.list({"rounds"}, denied.rounds);
}

void describe(Fields& fields, NodeDocument& node) {
  fields.text({"name", "host:port"}, node.name);
  fields.number({"decisions_per_second", "median of the rounds"}, node.decisions_per_second);
  fields.number({"cpu_percent", "median, of one core"}, node.cpu_percent);
}

void describe(Fields& fields, BalanceDocument& balance) {
  fields.list({"nodes", "the masters, under traffic that is within the limit"}, balance.nodes);
  fields.number({"skew", "decisions of the busiest master / mean of all"}, balance.skew);
  fields.number({"one_slot_decisions_per_second",
                 "median, if all keys have one hash tag: one master does all", kOrNull},
                balance.one_slot_decisions_per_second);
  fields.number({"one_key_decisions_per_second",
                 "median, if all decisions are on one key: nearly all are denials", kIfAny},
                balance.one_key_decisions_per_second);
  fields.number({"one_key_server_cpu_us", "likewise, per decision", kIfAny},
                balance.one_key_server_cpu_us);
  fields.number({"one_key_busiest_cpu_percent", "likewise, of the busiest master's core", kIfAny},
                balance.one_key_busiest_cpu_percent);
}

void describe(Fields& fields, YardstickDocument& yardstick) {
  fields.text({"name"}, yardstick.name);
  fields.list({"rounds"}, yardstick.rounds);
}

void describe(Fields& fields, AttackDocument& attack) {
  fields.word<Attack>({"name"}, attack.name);
  fields.count({"attempts"}, attack.attempts);
  fields.count({"late", "sent late by a twentieth of a window or more"}, attack.late);
  fields.count({"allowed"}, attack.allowed);
  fields.count({"denied"}, attack.denied);
  fields.number({"accuracy_low", "percent of the decisions that are right"}, attack.accuracy_low);
  fields.number({"accuracy_high", "percent of the decisions that may be right"},
                attack.accuracy_high);
  fields.count({"peak", "most admissions of a window"}, attack.peak);
  fields.number({"burst_factor", "peak / what the rule allows in a window"}, attack.burst_factor);
  fields.count({"worst_span_us", "from the first to the last admission of the worst window"},
               attack.worst_span_us);
  fields.count({"excess_certain", "admissions above the limit"}, attack.excess_certain);
  fields.count({"certain_false_denials"}, attack.certain_false_denials);
}

void describe(Fields& fields, AlgorithmDocument& algorithm) {
  fields.text({"name"}, algorithm.name);
  describe(fields, algorithm.medians);
  fields.count({"bytes_per_key", "of a key that holds `limit` admissions", kOrNull},
               algorithm.bytes_per_key);
  fields.list({"attacks"}, algorithm.attacks);
  fields.number({"accuracy_low", "percent; the lowest of the attacks", kOrNull},
                algorithm.accuracy_low);
  fields.number({"accuracy_high", "percent; the lowest of the attacks", kOrNull},
                algorithm.accuracy_high);
  fields.count({"peak", "the highest of the attacks", kOrNull}, algorithm.peak);
  fields.number({"burst_factor", "peak / what the rule allows in a window", kOrNull},
                algorithm.burst_factor);
  fields.word<VerdictKind>({"own_contract", "", kOrNull}, algorithm.own_contract);
  fields.text({"own_contract_reason", "if it does not hold", kIfAny},
              algorithm.own_contract_reason);
  fields.word<VerdictKind>({"policy_verdict", "", kOrNull}, algorithm.policy_verdict);
  fields.text({"not_attacked", "why there are no attacks", kIfAny}, algorithm.not_attacked);
  fields.text({"remark", "found about it while it ran", kIfAny}, algorithm.remark);
  fields.text({"failed", "why the rest of it was skipped", kIfAny}, algorithm.failed);
  fields.list({"rounds", "every request is within the limit"}, algorithm.rounds);
  fields.object({"denied", "nearly every request is above the limit"}, algorithm.denied);
  fields.object({"balance", "of a cluster", kIfAny}, algorithm.balance);
  fields.object({"yardstick", "measured in the same rounds", kIfAny}, algorithm.yardstick);
}

void describe(Fields& fields, MachineDocument& machine) {
  fields.text({"cpu", "the processor's model"}, machine.cpu);
  fields.count({"cores"}, machine.cores);
  fields.text({"kernel"}, machine.kernel);
  fields.count({"memory_bytes"}, machine.memory_bytes);
}

void describe(Fields& fields, MachineUseDocument& use) {
  fields.number({"other_cpu_percent", "of all cores, by other programs", kOrNull},
                use.other_cpu_percent);
  fields.number({"stolen_percent", "of all cores, by other guests of the host", kOrNull},
                use.stolen_percent);
  fields.number({"load_before", "runnable processes, mean over 1 minute", kOrNull},
                use.load_before);
}

void describe(Fields& fields, BenchDocument& document) {
  fields.heading(BenchDocument::kSchema, document.version);
  fields.flag({"complete"}, document.complete);
  fields.flag({"interrupted"}, document.interrupted);
  fields.text({"run_id"}, document.run_id);
  fields.text({"command", "that repeats this bench"}, document.command);
  fields.text({"server", "empty: unknown"}, document.server);
  fields.object({"machine"}, document.machine);
  fields.object({"machine_use", "during the bench; null: unknown"}, document.machine_use);
  fields.object({"policy"}, document.policy);
  fields.count({"connections"}, document.connections);
  fields.count({"pipeline", "requests in flight per connection"}, document.pipeline);
  fields.count({"threads", "that measured the speed; without it: 1", kIfAny}, document.threads);
  fields.count({"wait", "replicas that must confirm an admission (--wait)", kIfAny}, document.wait);
  fields.count({"keys"}, document.keys);
  fields.count({"duration_us", "of a round; 0: a round ends after `requests`"},
               document.duration_us);
  fields.count({"requests", "of a round"}, document.requests);
  fields.number({"rate_per_s", "of the open loop; 0: closed loop"}, document.rate_per_s);
  fields.word<ScenarioClock>({"clock", "of the attacks"}, document.clock);
  fields.number({"seconds", "that the bench took"}, document.seconds);
  fields.text({"problem", "what ended the bench early", kIfAny}, document.problem);
  fields.list({"algorithms"}, document.algorithms);
  fields.flag({"embedded", "the Redis was started by rlctl"}, document.embedded);
  fields.object({"comparison", "with --baseline", kIfAny}, document.comparison);
}

}  // namespace rlctl
