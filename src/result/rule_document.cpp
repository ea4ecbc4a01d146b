#include "result/rule_document.h"

#include "policy/rules_text.h"

namespace rlctl {

void describe(Fields& fields, RuleDocument& rule) {
  const auto kind = meaning_of<RuleKind>(rule.kind.bytes());
  fields.text({"text", "as it is written in --policy"}, rule.text);
  fields.word<RuleKind>({"kind"}, rule.kind);
  fields.count({"limit", "requests per window; of a bucket: refilled per window; or held at once"},
               rule.limit);
  fields.when(kind && row_of(*kind).takes_window,
              [&] { fields.count({"window_us"}, rule.window_us); });
  fields.when(kind && row_of(*kind).takes_phase, [&] {
    fields.count({"phase_us", "where windows start; null: unknown", kOrNull}, rule.phase_us);
  });
  fields.when(kind && row_of(*kind).takes_capacity, [&] {
    fields.count({"capacity", "of a bucket"}, rule.capacity);
    fields.count({"step_us", "between two refills of a bucket; 0: it is refilled evenly"},
                 rule.step_us);
  });
  fields.when(kind && row_of(*kind).takes_lease, [&] {
    fields.count({"lease_us", "after it, a holder that vanished holds nothing; 0: unknown"},
                 rule.lease_us);
  });
  fields.flag({"counts_denied", "denied requests count too"}, rule.counts_denied);
  fields.count({"block_us", "of the block after a denial"}, rule.block_us);
  fields.text({"per", "the name that it counts by; none: the key", kIfAny}, rule.per);
}

std::vector<RuleDocument> document_of(const Rules& rules) {
  std::vector<RuleDocument> documents;
  for (const Rule& rule : rules) {
    RuleDocument document;
    document.text = rules_text({rule});
    document.kind = name_of(rule.kind);
    document.limit = rule.limit;
    document.window_us = rule.window_us;
    document.lease_us = rule.lease_us;
    document.block_us = rule.block_us;
    document.per = rule.per;
    document.counts_denied = rule.counts_denied;
    if (rule.row().takes_phase) document.phase_us = rule.phase_us;
    if (rule.row().takes_capacity)
      document.capacity = rule.capacity, document.step_us = rule.step_us;
    documents.push_back(std::move(document));
  }
  return documents;
}

std::string shown(const std::vector<RuleDocument>& rules) {
  std::string text;
  for (const RuleDocument& rule : rules) text += (text.empty() ? "" : " & ") + rule.text.shown();
  return text;
}

}  // namespace rlctl
