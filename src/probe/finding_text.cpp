#include "probe/finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

std::string limit_text(const Hypothesis& one) {
  if (one.limit == one.limit_high) return format_count(one.limit);
  return format_count(one.limit) + " to " + format_count(one.limit_high);
}

// The digits that are certain: no more than a thousandth.
std::string rounded(std::int64_t us) {
  std::int64_t step = 1;
  while (step * 10'000 <= us) step *= 10;
  return format_duration((us + step / 2) / step * step);
}

std::string range_text(const Hypothesis& one) {
  const std::string range = rounded(one.low_us) + " to " + rounded(one.high_us);
  if (one.kind == LimiterKind::bucket) return "one is refilled every " + range;
  if (one.kind == LimiterKind::penalty)
    return "a penalty lasts " + range + "; a window lasts " + rounded(one.high_us) +
           " at most, how long is not known";
  return "a window lasts " + range;
}

// Where windows of the clock begin, beside the clock of the machine that asks.
std::string edge_text(const Hypothesis& one) {
  if (!one.row().aligned) return {};
  const std::int64_t behind_us = one.edge_us % one.time_us();
  if (one.begins_with_clock()) return ", and begins with those of this machine's clock";
  return fmt::format(", and begins about {} after a full {} of this machine's clock",
                     format_duration_for_people(behind_us), format_duration(one.time_us()));
}

std::string rule_lines(const Hypothesis& one) {
  return fmt::format("  {}: {}\n    limit {}; {}{}\n", one.row().name, one.row().sentence,
                     limit_text(one), range_text(one), edge_text(one));
}

std::string policy_line(const Hypothesis& one) {
  if (!one.has_policy()) return "    policy: not known, because its time is not known\n";
  const bool approximately = one.is_counter() || (one.beside && one.beside->is_counter());
  return "    policy: " + rules_text(rules_of(one)) +
         (approximately ? " (approximately: no rule of a policy describes a counter)\n" : "\n");
}

std::string fitting_lines(const Hypothesis& one) {
  return (one.beside ? rule_lines(*one.beside) + "   and\n" : "") + rule_lines(one) +
         policy_line(one);
}

std::string refuted_lines(const Examination& examination) {
  std::string text;
  std::int64_t pairs = 0;
  for (const Hypothesis& one : examination.hypotheses())
    if (one.is_refuted() && !one.beside)
      text += fmt::format("  {}: {}\n", one.name(), one.refuted_by);
    else if (one.is_refuted())
      ++pairs;
  if (pairs > 0) text += fmt::format("  {} of two rules\n", counted(pairs, "pair"));
  return text.empty() ? "" : "refuted\n" + text;
}

// One request after another: what admits more than that is never full.
std::string no_limit_text(const std::vector<Record>& records) {
  const std::int64_t lasted_us = records.back().intended_us - records.front().intended_us;
  const auto rate =
      static_cast<double>(records.size()) * kSecondUs / std::max<std::int64_t>(1, lasted_us);
  return fmt::format(
      "no limit found up to {}: none was denied at {} a second; one connection cannot fill a limit "
      "that admits more",
      counted(records.size(), "request"), format_count(static_cast<std::int64_t>(rate)));
}

std::string headline(const Examination& examination) {
  const std::size_t left = examination.open().size();
  switch (examination.end()) {
    case ExaminationEnd::found:
      return "found: " + in_words(examination.open().front());
    case ExaminationEnd::no_limit:
      return no_limit_text(examination.log().records);
    case ExaminationEnd::delayed:
      return "nothing was denied, but each answer had to wait";
    case ExaminationEnd::never_admitted:
      return "nothing was admitted, so nothing is known of the limit. It may be full from earlier "
             "requests (wait, or allow more with --for), or deny this client whatever it sends";
    case ExaminationEnd::unexplained:
      return "not explained: no rule that rlctl knows gives these answers, and no two of them. "
             "Other clients may share the limit, it may have been in use just before (wait, and "
             "try again), or its machine is so busy that its clock is late";
    case ExaminationEnd::several:
      return left > 1 ? fmt::format("{} kinds agree with all answers", left)
                      : "one kind agrees with all answers, but its time is not known to 2 %";
    case ExaminationEnd::out_of_budget:
      return fmt::format("{} left when the requests were used up; allow more with --budget",
                         counted(left, "kind is", "kinds are"));
    case ExaminationEnd::out_of_time:
      if (examination.hypotheses().empty())
        return "too few answers to refute anything when the time was over; allow more with --for";
      return fmt::format("{} left when the time was over; allow more with --for",
                         counted(left, "kind is", "kinds are"));
    case ExaminationEnd::lost:
      if (examination.hypotheses().empty())
        return "too few answers to refute anything before they ended";
      return fmt::format("{} left when there were no more answers",
                         counted(left, "kind is", "kinds are"));
  }
  return {};
}

std::string totals_line(const Examination& examination) {
  const std::vector<Record>& records = examination.log().records;
  if (records.empty()) return {};
  const auto is_denied = [](const Record& one) { return one.outcome == Outcome::denied; };
  const auto undecided = std::ranges::count_if(
      records, [](const Record& one) { return one.outcome > Outcome::denied; });
  const std::int64_t lasted_us = records.back().intended_us - records.front().intended_us;
  const std::int64_t agree = examination.answers_that_agree();
  return fmt::format("examined with {} in {}, {}{} denied{}\n", counted(records.size(), "request"),
                     format_duration_for_people(lasted_us),
                     undecided == 0 ? "" : format_count(undecided) + " without a decision, ",
                     format_count(std::ranges::count_if(records, is_denied)),
                     agree == 0 ? ""
                                : fmt::format("; {} with what is left, and none speaks against it",
                                              counted(agree, "answer agrees", "answers agree")));
}

std::string unseen_line(const Examination& examination) {
  const auto from = examination.unseen_from();
  return from ? fmt::format(
                    "not excluded: a second rule that allows {} or more, which was never "
                    "full\n",
                    counted(*from, "request"))
              : "";
}

// What the user can do when several are left.
std::string next_step(const Examination& examination) {
  if (examination.open().size() < 2) return {};
  const std::optional<Separation> apart = examination.telling_more();
  if (!apart) return "no requests that rlctl knows tell them apart\n";
  const bool was_played = examination.times_played(apart->tactic.name) > 0;
  return fmt::format("what would tell them apart: {} ({}, {}){}\n", apart->tactic.name,
                     counted(apart->requests, "request"),
                     format_duration_for_people(apart->lasts_us),
                     was_played ? "; it was played, and the answers came too late or too early to "
                                  "decide: try again on a quieter machine"
                                : "");
}

}  // namespace

std::string in_words(const Hypothesis& one) {
  if (!one.has_known_window())
    return fmt::format("limit {}, a denial is followed by a penalty of {} ({}; window not known)",
                       limit_text(one), format_duration(one.time_us()), one.name());
  return fmt::format("{} ({})", rules_text(rules_of(one)), one.name());
}

// The kinds first: a line of 80 columns ends in what is being done.
std::string doing_text(const Examination& examination) {
  constexpr std::size_t kMostOfKinds = 62;
  const std::vector<Hypothesis> open = examination.open();
  std::string kinds;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::string name = (i == 0 ? "left: " : ", ") + open[i].name();
    if (i > 0 && kinds.size() + name.size() > kMostOfKinds) {
      kinds += fmt::format(" and {} more", open.size() - i);
      break;
    }
    kinds += name;
  }
  return kinds.empty() ? examination.doing() : kinds + "; " + examination.doing();
}

std::string finding_text(const Examination& examination) {
  std::string text = headline(examination) + "\n";
  for (const Hypothesis& one : examination.open()) text += fitting_lines(one);
  for (const Hypothesis& one : examination.hypotheses())
    if (!one.same_as.empty())
      text += fmt::format("  {}: with a limit of 1 it is the same as a {}\n", one.row().name,
                          one.same_as);
  text += next_step(examination);
  return text + refuted_lines(examination) + totals_line(examination) + unseen_line(examination);
}

}  // namespace rlctl
