#include "result/plan_document.h"

#include "verdict/figures.h"

namespace rlctl {

void describe(Fields& fields, PlannedClientDocument& client) {
  fields.bytes({"client"}, client.client);
  fields.word<OverAdmission>({"denied", "whether a request of it is"}, client.denied);
  fields.count({"requests"}, client.requests);
  fields.count({"certain", "requests that any limiter with this policy denies"}, client.certain);
  fields.count({"as_stamped", "if each request came at the end of its interval"},
               client.as_stamped);
  fields.count({"at_most", "requests that an exact limiter may deny"}, client.at_most);
  fields.count({"denied_in_log", "in the log"}, client.denied_in_log);
  fields.count({"worst", "its most requests that certainly lie in one window"}, client.worst);
  fields.count({"worst_at_most", "that may lie in one window"}, client.worst_at_most);
  fields.count({"worst_from_us", "", kIfAny}, client.worst_from_us);
  fields.count({"worst_to_us", "", kIfAny}, client.worst_to_us);
  fields.number({"irregularity",
                 "standard deviation of the times between its requests / their mean; near 0: a "
                 "program",
                 kIfAny},
                client.irregularity);
}

void describe(Fields& fields, PlannedHourDocument& hour) {
  fields.count({"from_us"}, hour.from_us);
  fields.count({"denied", "as stamped"}, hour.denied);
  fields.count({"clients", "with a denied request"}, hour.clients);
}

void describe(Fields& fields, ClientChangeDocument& change) {
  fields.bytes({"client"}, change.client);
  fields.flag({"newly", "hit by this policy only; otherwise by the one in force only"},
              change.newly);
  fields.count({"requests"}, change.requests);
  fields.count({"certain", "under the policy that hits it"}, change.certain);
  fields.count({"as_stamped"}, change.as_stamped);
  fields.count({"at_most"}, change.at_most);
}

void describe(Fields& fields, WorstWindowsDocument& worst) {
  fields.count({"window_us"}, worst.window_us);
  fields.count({"p50"}, worst.p50);
  fields.count({"p90"}, worst.p90);
  fields.count({"p99"}, worst.p99);
  fields.count({"p999"}, worst.p999);
  fields.count({"p9999"}, worst.p9999);
  fields.count({"max"}, worst.max);
}

void describe(Fields& fields, PlannedPolicyDocument& policy) {
  fields.text({"policy", "in the grammar"}, policy.policy);
  fields.list({"rules", "all of them hold"}, policy.rules);
  fields.text({"by", "what is one client"}, policy.by);
  fields.count({"clients_certain", "some request is denied for certain"}, policy.clients_certain);
  fields.count({"clients_possible", "some request may be denied"}, policy.clients_possible);
  fields.count({"clients_none", "no request is denied"}, policy.clients_none);
  fields.count({"requests"}, policy.requests);
  fields.count({"without_client", "requests without a value to count by"}, policy.without_client);
  fields.count({"certain", "requests that any limiter with this policy denies"}, policy.certain);
  fields.count({"as_stamped", "if each request came at the end of its interval"},
               policy.as_stamped);
  fields.count({"at_most", "requests that an exact limiter may deny"}, policy.at_most);
  fields.count({"denied_in_log", "in the log"}, policy.denied_in_log);
  fields.object({"worst_windows", "requests that certainly lie in each client's own worst window"},
                policy.worst_windows);
  fields.object({"worst_windows_at_most", "requests that may lie in it"},
                policy.worst_windows_at_most);
  fields.list({"clients", "that are or may be denied, worst first"}, policy.clients);
  fields.list({"hours", "with denials"}, policy.hours);
  fields.list({"changes", "against the policy in force: newly hit, then freed"}, policy.changes);
}

void describe(Fields& fields, PlanDocument& document) {
  fields.heading(PlanDocument::kSchema, document.version);
  fields.count({"requests"}, document.requests);
  fields.count({"left_out", "by filters"}, document.left_out);
  fields.count({"from_us"}, document.from_us);
  fields.count({"to_us"}, document.to_us);
  fields.count({"time_known_to_us", "the median width of the requests' intervals"},
               document.time_known_to_us);
  fields.flag({"has_durations",
               "otherwise what is certain holds if no request took longer than "
               "--longest"},
              document.has_durations);
  fields.text({"in_force", "the policy to compare with", kIfAny}, document.in_force);
  fields.list({"notes"}, document.notes);
  fields.list({"policies", "one for each policy and way of telling clients apart"},
              document.policies);
}

}  // namespace rlctl
