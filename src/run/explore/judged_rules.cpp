#include "run/explore/judged_rules.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

Rule without_block(Rule rule) {
  rule.block_us = 0;
  return rule;
}

// As it is judged.
Rule bare(Rule rule) {
  rule.counts_denied = false;
  rule.per.clear();
  return without_block(std::move(rule));
}

void refuse_modifiers(const Rule& rule, const std::string& option) {
  if (rule == bare(rule)) return;
  throw Error(Exit::usage,
              option + ": explore can't judge " + in_quotes(rules_text({rule})) + ", only " +
                  in_quotes(rules_text({bare(rule)})) + ": it judges the admissions to one key",
              "leave out the modifier; simulate, run and verify judge it");
}

void add_new(Rules& rules, const Rules& more) {
  for (const Rule& rule : more)
    if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
}

Rules all_bare(Rules rules) {
  std::ranges::transform(rules, rules.begin(), bare);
  return rules;
}

bool speaks_for(const Rule& judged, const Rule& wanted, bool time_passes) {
  if (judged == wanted) return true;
  return !time_passes && judged.has_window() == wanted.has_window() &&
         judged.most_at_once() <= wanted.most_at_once();
}

Rules not_judged(const Rules& policy, const Rules& judged, bool time_passes) {
  Rules left;
  for (const Rule& wanted : policy)
    if (std::ranges::none_of(
            judged, [&](const Rule& rule) { return speaks_for(rule, wanted, time_passes); }))
      left.push_back(wanted);
  return left;
}

}  // namespace

JudgedRules judged_rules(const Rules& contract, const Rules& promised, const Rules& policy,
                         bool time_passes) {
  for (const Rule& rule : contract) refuse_modifiers(rule, "--contract");
  for (const Rule& rule : policy) refuse_modifiers(without_block(rule), "--policy");
  JudgedRules judged;
  const Rules wanted = all_bare(policy);
  const Rules& kept = contract.empty() ? promised : contract;
  add_new(judged.rules, all_bare(kept));
  if (kept.empty())
    add_new(judged.rules, wanted);
  else if (contract.empty())
    add_new(judged.rules, {wanted.begin() + 1, wanted.end()});
  if (kept != all_bare(kept))
    judged.notes.push_back("of the script's contract " + in_quotes(rules_text(kept)) +
                           ", explore judges only " + in_quotes(rules_text(all_bare(kept))) +
                           ": the admissions to one key");
  if (const Rules left = not_judged(wanted, judged.rules, time_passes); !left.empty())
    judged.notes.push_back("the verdict is on the contract above, not on the policy " +
                           in_quotes(rules_text(left)) + ": to judge that, add --contract " +
                           shell_word(rules_text(left)));
  return judged;
}

}  // namespace rlctl
