#include "report/explore_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/escape.h"
#include "base/table.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "base/words.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostCellBytes = 44;

bool is_one(const ScheduleCount& count) { return count == ScheduleCount(1); }

// 2520 -> 2,520; very large counts as a power of ten.
std::string in_words(const ScheduleCount& count) {
  if (count.is_most() || count.approximately() >= 1e15)
    return fmt::format("{}{:.1e}", count.is_most() ? "more than " : "about ",
                       count.approximately());
  return format_count(static_cast<std::int64_t>(count.approximately()));
}

std::string random_of(const ExplorePass& pass) {
  return fmt::format("{} random schedules (seed {})",
                     format_count(static_cast<std::int64_t>(pass.random.runs)), pass.random.seed);
}

std::string coverage_of(const ExplorePass& pass) {
  if (pass.coverage == Coverage::exhaustive)
    return is_one(pass.counts.schedules)
               ? "the only schedule"
               : fmt::format("all {} schedules", in_words(pass.counts.schedules));
  std::string text = pass.preemptions_covered < 0 ? "some of the schedules" : "all schedules";
  text += pass.preemptions_covered <= 0
              ? " without a preemption"
              : " with up to " + counted(pass.preemptions_covered, "preemption");
  return pass.coverage == Coverage::random ? text + ", and " + random_of(pass) : text;
}

// 0.074, or "less than 1e-9"; rounded up.
std::string chance_of(double log10) {
  constexpr double kLeast = -99;
  if (log10 < -6) return fmt::format("less than 1e{:.0f}", std::max(kLeast, std::ceil(log10)));
  const double chance = std::pow(10.0, log10);
  if (chance < 1e-3) return fmt::format("less than {:.4f}", std::ceil(chance * 1e4) / 1e4);
  return fmt::format("at most {:.3f}", std::min(1.0, std::ceil(chance * 1e3) / 1e3));
}

// What the random schedules leave open, where they found nothing.
std::string missed_by(const RandomRuns& random) {
  std::string text = fmt::format(
      "    a race that schedules of up to {} by {} can show was missed by the random ones\n",
      counted(random.steps, "step"), counted(random.threads, "thread"));
  for (int depth = 1; depth <= random.depth; ++depth) {
    const std::uint64_t runs = random.counted[static_cast<std::size_t>(depth) - 1];
    text += fmt::format("      with a probability of {} if it needs {} of two steps ({})\n",
                        chance_of(random.log10_missed(depth)), counted(depth, "ordering"),
                        counted(static_cast<std::int64_t>(runs), "run"));
  }
  return text;
}

std::string pass_of(const ExplorePass& pass) {
  const auto steps = static_cast<std::int64_t>(pass.steps);
  if (pass.coverage == Coverage::replay)
    return fmt::format("  one schedule of {}\n", counted(steps, "step"));
  std::string text =
      fmt::format("  {}: {}, in {} ({}, {})\n",
                  pass.events.empty() ? "clients alone" : "with one of each event: " + pass.events,
                  coverage_of(pass), counted(pass.runs, "run"), counted(pass.states, "state"),
                  counted(steps, "step"));
  const auto add = [&](const ScheduleCount& count, const char* one, const char* many,
                       const char* what) {
    if (!count.is_zero())
      text += fmt::format("    {} {} {}\n", in_words(count), is_one(count) ? one : many, what);
  };
  add(pass.counts.violating, "admits", "admit", "too many");
  add(pass.counts.refusing, "denies", "deny",
      "a request although the limit is not reached (a false denial)");
  add(pass.counts.littering, "leaves", "leave", "a key without expiry");
  add(pass.counts.leaking, "leaks", "leak", "what a client was given");
  return text;
}

std::string shortened(const std::string& text) {
  if (text.size() <= kMostCellBytes) return text;
  return text.substr(0, kMostCellBytes - 3) + "...";
}

// Of how many, if it does not depend on the rule.
std::string admission_of(const TraceStep& step, const Rules& contract) {
  const std::string text = fmt::format("=> ADMITTED, number {}", step.admitted);
  if (step.at_us > 0) return text + ", at T+" + format_duration(step.at_us);
  const bool is_one_count = !any_in_flight(contract) || !any_window(contract);
  return is_one_count ? fmt::format("{} of {}", text, most_at_once(contract)) : text;
}

std::string decision_of(const TraceStep& step, const Rules& contract) {
  switch (step.outcome) {
    case Outcome::allowed:
      return admission_of(step, contract);
    case Outcome::denied:
      return "=> denied";
    default:
      return "=> no decision";
  }
}

// Clients that send nothing have no column.
std::vector<std::size_t> clients_of(const std::vector<TraceStep>& trace) {
  std::set<std::size_t> clients;
  for (const TraceStep& step : trace)
    if (step.kind <= TraceKind::crash) clients.insert(step.client);
  return {clients.begin(), clients.end()};
}

class TraceTable {
 public:
  // A column for each client, or one in which the clients have numbers.
  enum class Layout : std::uint8_t { wide, narrow };

  TraceTable(const Rules& contract, const Rules& broken, const std::vector<TraceStep>& trace,
             Layout layout)
      : contract_(contract),
        broken_(broken),
        layout_(layout),
        clients_(clients_of(trace)),
        table_(columns(clients_, layout), 2) {
    for (const TraceStep& step : trace) add(step);
  }
  std::string text() const { return table_.text(); }

 private:
  static std::vector<Column> columns(const std::vector<std::size_t>& clients, Layout layout) {
    std::vector<Column> columns{{"step", Align::right}};
    if (layout == Layout::narrow) {
      columns.push_back({"client", Align::right});
      columns.push_back({""});
      return columns;
    }
    for (const std::size_t client : clients) columns.push_back({fmt::format("client {}", client)});
    columns.push_back({""});
    return columns;
  }

  void row(const std::string& first, std::size_t client, const std::string& cell,
           const std::string& remark = {}) {
    if (layout_ == Layout::narrow) {
      table_.add_row({first, std::to_string(client), cell});
      if (!remark.empty()) table_.add_row({"", "", remark});
      return;
    }
    std::vector<std::string> cells(clients_.size() + 2);
    cells.front() = first;
    const auto place = std::ranges::find(clients_, client) - clients_.begin();
    cells[1 + static_cast<std::size_t>(place)] = cell;
    cells.back() = remark;
    table_.add_row(std::move(cells));
  }

  void add(const TraceStep& step) {
    const std::string remark = step.breaks ? "<-- broken here: " + promise_in_words(broken_) : "";
    if (step.kind == TraceKind::decision)
      return row("", step.client, decision_of(step, contract_), remark);
    const std::string number = std::to_string(++number_);
    if (step.kind == TraceKind::crash) return row(number, step.client, "CRASH", step.text);
    if (step.kind != TraceKind::command) {
      std::vector<std::string> cells(layout_ == Layout::narrow ? 3 : clients_.size() + 2);
      cells.front() = number;
      cells.back() = "** " + step.text;
      return table_.add_row(std::move(cells));
    }
    if (!step.interrupted.empty())
      row("", step.interrupted_client, shortened("(next: " + step.interrupted + ")"));
    const std::string tries =
        step.tries > 1 ? counted(step.tries, "try", "tries") + ", all failed" : "";
    const std::string answer = "-> " + step.reply;
    if (step.text.size() + 1 + answer.size() <= kMostCellBytes)
      return row(number, step.client, step.text + " " + answer, tries);
    row(number, step.client, shortened(step.text), tries);
    row("", step.client, shortened("   " + answer));
  }

  const Rules& contract_;
  const Rules& broken_;
  Layout layout_;
  std::vector<std::size_t> clients_;
  Table table_;
  std::int64_t number_ = 0;
};

std::string trace_text(const Rules& contract, const Rules& broken,
                       const std::vector<TraceStep>& trace, std::size_t columns) {
  using enum TraceTable::Layout;
  const std::string text = TraceTable(contract, broken, trace, wide).text();
  const bool fits = columns == 0 || std::ranges::all_of(split(text, '\n'), [&](auto line) {
                      return display_width(line) <= columns;
                    });
  return fits ? text : TraceTable(contract, broken, trace, narrow).text();
}

std::string keys_of(const ExploreViolation& violation) {
  std::string text;
  for (const std::string& key : violation.keys) text += (text.empty() ? "" : ", ") + in_quotes(key);
  return text;
}

std::string headline(const ExploreViolation& violation) {
  switch (violation.finding) {
    case ExploreFinding::over_admission:
      return fmt::format("{} {}; the promise is {}", format_count(violation.admitted),
                         any_window(violation.broken) ? "admissions" : "held at once",
                         promise_in_words(violation.broken));
    case ExploreFinding::leak:
      return fmt::format("leaked: after all leases have ended, only {} of {} are admitted at once",
                         format_count(std::ranges::count(violation.afterwards, Outcome::allowed)),
                         format_count(static_cast<std::int64_t>(violation.afterwards.size())));
    case ExploreFinding::blocked_for_ever:
      return fmt::format("blocked for ever: no expiry on {}, so all later requests are denied",
                         keys_of(violation));
    case ExploreFinding::key_without_expiry:
      return fmt::format("a crashed client leaves {} without expiry", keys_of(violation));
    case ExploreFinding::false_denial:
      break;
  }
  return "a request is denied although the limit is not reached";
}

std::string afterwards_of(const ExploreViolation& violation) {
  if (violation.afterwards.empty() || violation.finding == ExploreFinding::leak) return {};
  std::string outcomes;
  for (const Outcome outcome : violation.afterwards)
    outcomes += (outcomes.empty() ? "" : ", ") +
                std::string(outcome == Outcome::allowed ? "admitted" : name_of(outcome));
  return fmt::format("\n  later requests, one every {}: {} ...\n",
                     format_duration(violation.afterwards_gap_us), outcomes);
}

std::string legend_of(const std::vector<TraceStep>& trace) {
  const bool tells_time = std::any_of(trace.begin(), trace.end(), [](const TraceStep& step) {
    return (step.kind == TraceKind::decision && step.at_us > 0) ||
           (step.text + " ").find(" T ") != std::string::npos ||
           step.text.find(" T-") != std::string::npos || step.text.find(" T+") != std::string::npos;
  });
  return tells_time ? "\n  T is the time at which the schedule begins\n" : "";
}

std::string violation_text(const ExploreResult& result, const ExploreViolation& violation,
                           std::size_t columns) {
  std::string text =
      fmt::format("{} ({}, {}{})\n\n", headline(violation),
                  counted(violation.preemptions, "preemption"), counted(violation.steps, "step"),
                  violation.by_chance ? "; found at random: there may be a shorter one" : "");
  text += trace_text(result.contract, violation.broken, violation.trace, columns) +
          legend_of(violation.trace);
  text += afterwards_of(violation);
  if (violation.confirmed)
    text += fmt::format("\n  confirmed on a real server ({}), step by step\n", result.server);
  else
    text += fmt::format(
        "\n  NOT CONFIRMED on a real server: {}. This is a bug in rlctl's model of Redis:\n"
        "  please report it together with the script.\n",
        violation.doubt);
  return text + fmt::format("  to replay it: {} --replay {}\n", result.command, violation.schedule);
}

std::string notes_of(const ExploreResult& result) {
  std::string text;
  if (!result.refusing_schedule.empty())
    text += fmt::format(
        "note: false denials are possible, although the limit is not reached: a schedule admits "
        "only {} of {} clients; to see it, add --replay {}\n",
        format_count(result.least_admitted),
        format_count(static_cast<std::int64_t>(result.clients)), result.refusing_schedule);
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace

std::string explore_text(const ExploreResult& result, std::size_t columns) {
  std::string reason = result.reason;
  if (result.verdict == VerdictKind::violated)
    reason = headline(result.violations.front());
  else if (result.verdict == VerdictKind::holds)
    reason =
        result.most_admitted > most_at_once(result.contract)
            ? "no schedule breaks it: " + promise_in_words(result.contract)
            : fmt::format("no schedule admits more than {}", format_count(result.most_admitted));
  std::string text = fmt::format("{}: {}\n\n", name_of(result.verdict), reason);
  text += fmt::format("  {}, {}, {}: {}\n", escape_for_terminal(result.algorithm),
                      counted(result.clients, "client"),
                      result.on_client ? "step by step" : "one atomic step each",
                      promise_in_words(result.contract));
  for (const ExplorePass& pass : result.passes) {
    text += pass_of(pass);
    if (pass.coverage == Coverage::random && result.violations.empty())
      text += missed_by(pass.random);
  }
  for (const ExploreViolation& violation : result.violations)
    text += "\n" + violation_text(result, violation, columns);
  if (!result.replayed.empty())
    text += "\n" + trace_text(result.contract, {}, result.replayed, columns) +
            legend_of(result.replayed);
  const std::string notes = notes_of(result);
  return text + (notes.empty() ? "" : "\n" + notes);
}

}  // namespace rlctl
