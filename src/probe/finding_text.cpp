#include "probe/finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "policy/rules_text.h"
#include "probe/undecided.h"

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
  if (!one.has_policy())
    return fmt::format("    policy: not known, because its {} is not known\n",
                       one.has_known_limit() ? "time" : "limit");
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

// It was played in vain, so that more requests do not help.
bool was_played(const Examination& examination) {
  const std::optional<Separation> apart = examination.telling_more();
  return apart && examination.times_played(apart->tactic.name) > 0;
}

// `when`: what ended the examination; `advice`: what to do for a longer one.
std::string left_text(const Examination& examination, const std::string& when,
                      const std::string& advice) {
  const std::size_t left = examination.open().size();
  const std::string kinds = examination.hypotheses().empty() ? "too few answers to refute anything"
                            : left == 0                      ? "no kind is left"
                                        : counted(left, "kind is", "kinds are") + " left";
  const bool helps = !advice.empty() && !was_played(examination);
  return kinds + " when " + when + (helps ? "; allow more with " + advice : "");
}

std::string several_text(const Examination& examination) {
  const std::size_t left = examination.open().size();
  const char* const answers =
      examination.began_again() ? "the answers since a rest" : "all answers";
  if (left > 1) return fmt::format("{} kinds agree with {}", left, answers);
  const std::string doubt = examination.doubt();
  return fmt::format("one kind agrees with {}{}{}", answers, doubt.empty() ? "" : ", but ", doubt);
}

std::string headline(const Examination& examination) {
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
    case ExaminationEnd::undecided:
      return "none was denied, but not every request was decided, so it is not known whether there "
             "is a limit";
    case ExaminationEnd::too_many_undecided:
      return "there is a limit, but it is not known how many it holds: too many answers in a row "
             "of admissions decided nothing, and each may have been counted or not";
    case ExaminationEnd::unexplained:
      return "not explained: no rule that rlctl knows gives these answers, and no two of them. "
             "Other clients may share the limit, it may have been in use just before (wait, and "
             "try again), or its machine is so busy that its clock is late";
    case ExaminationEnd::several:
      return several_text(examination);
    case ExaminationEnd::out_of_budget:
      return left_text(examination, "the requests were used up", "--budget");
    case ExaminationEnd::out_of_time:
      return left_text(examination, "the time was over", "--for");
    case ExaminationEnd::lost:
      return left_text(examination, "there were no more answers", "");
    case ExaminationEnd::interrupted:
      return left_text(examination, "it was interrupted", "");
  }
  return {};
}

std::string totals_line(const Examination& examination) {
  const std::vector<Record>& records = examination.log().records;
  if (records.empty()) return {};
  const auto is_denied = [](const Record& one) { return one.outcome == Outcome::denied; };
  const Undecided undecided = undecided_of(records);
  const std::int64_t lasted_us = records.back().intended_us - records.front().intended_us;
  const std::int64_t agree = examination.answers_that_agree();
  return fmt::format(
      "examined with {} in {}, {}{} denied{}\n{}", counted(records.size(), "request"),
      format_duration_for_people(lasted_us),
      undecided.total() == 0 ? "" : format_count(undecided.total()) + " without a decision, ",
      format_count(std::ranges::count_if(records, is_denied)),
      agree == 0 ? ""
                 : fmt::format("; {} with what is left, and none speaks against it",
                               counted(agree, "answer agrees", "answers agree")),
      undecided_lines(undecided));
}

// What is left may have been refuted by them.
std::string before_line(const Examination& examination) {
  const std::vector<Hypothesis> open = examination.open();
  if (!examination.began_again() || open.empty()) return {};
  std::int64_t fewest = std::ssize(examination.before());
  for (const Hypothesis& one : open)
    fewest = std::min(fewest, examination.contradicted_before(one));
  return fmt::format(
      "no evidence: {} before a rest, of which {}\n",
      counted(std::ssize(examination.before()), "answer"),
      fewest == 0
          ? "none speaks against it"
          : counted(fewest, "does", "do") +
                (open.size() == 1 ? " not agree" : " not agree with any kind that is left") +
                ": the limit may have been in use before, or a machine stalled");
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
  return fmt::format("what would tell them apart: {} ({}, {}){}\n", apart->tactic.name,
                     counted(apart->requests, "request"),
                     format_duration_for_people(apart->lasts_us),
                     was_played(examination)
                         ? "; it was played, and the answers came too late or too early to decide: "
                           "try again where answers take less time"
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
  text += next_step(examination) + before_line(examination);
  return text + refuted_lines(examination) + totals_line(examination) + unseen_line(examination);
}

}  // namespace rlctl
