// Report: the content of a report on judged logs or result files, in words and figures, independent
// of the format. Every format (HTML, Markdown, CSV, JUnit, SVG) writes this one value, so all
// formats say the same. Plain values.
//
// Every text is printable and on one line; input from outside is escaped (base/escape.h). A format
// adds the escapes of its own markup.
//
// The room report: results for people and for programs. In report/, each verb has VERB_text, and
// documents.h makes what --json publishes; report/page has the report files, report/picture the
// figures that they draw.
// - It includes compare, result, scenario, verdict, arrivals, log, policy and base. It is pure.
// - It must not measure, judge or choose: it shows what the result says. It returns text; the verb
//   decides where the text goes.
//
// Begin with a verb, such as verify_text.h and document_of_verify.cpp. For `rlctl report`: this
// file, then page/of_logs.h and page/of_results.h (they make the value), page/formats.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/picture/run_picture.h"

namespace rlctl {

// From the best to the worst.
enum class Mood : std::uint8_t { neutral, good, doubtful, bad };

struct ReportFact {
  std::string name;
  std::string value;
};

struct ReportColumn {
  std::string name;
  bool is_number = false;
  bool is_from_log = false;  // names as long as anyone wished: a text table cuts them
};

struct ReportCell {
  std::string text;
  std::optional<double> value;  // sort key of a number
  Mood mood = Mood::neutral;
};

struct ReportTable {
  std::string title;
  std::string note;  // may be empty
  std::vector<ReportColumn> columns;
  std::vector<std::vector<ReportCell>> rows;  // one cell per column
  // The rows of a CI summary, whose readers do not scroll, unless a number was given; 0: all.
  std::size_t most_in_summary = 10;
};

// Something that was checked: a verdict, an expectation.
struct ReportCheck {
  std::string name;
  Mood mood = Mood::neutral;  // good: held, bad: broken, doubtful: not decided
  std::string message;
};

// One admission of a worst window.
struct EvidenceRow {
  std::int64_t number = 0;  // from 1, in time order
  std::string place;        // line, or phase
  std::int64_t sent_us = 0;
  std::int64_t received_us = 0;
  std::int64_t decided_from_us = 0;
  std::int64_t decided_to_us = 0;
  std::int64_t cost = 1;
  bool too_many = false;
};

struct Evidence {
  std::string title;
  bool is_proof = true;  // else the window possibly holds these admissions
  std::int64_t from_us = 0;
  std::int64_t records = 0;  // in the window; `rows` may be fewer
  std::vector<EvidenceRow> rows;
};

// A figure with its name in JSON and CSV.
struct NamedFigure {
  std::string name;
  std::string value;
};

// What a run is counted as.
enum class RunKind : std::uint8_t { log, simulation, algorithm, scenario };

// One judged history, one algorithm, one scenario.
struct ReportRun {
  RunKind kind = RunKind::log;
  std::string name;
  Mood mood = Mood::neutral;
  std::string verdict;   // what is told of it: one word, of what was asked or found
  std::string found;     // holds, violated or inconclusive; empty: nothing was judged
  std::string outcome;   // of what was asked: a word of ScenarioOutcome; empty: nothing was asked
  std::string sentence;  // why
  std::string remedy;    // may be empty
  std::string key;       // of the worst window
  std::string run_id;    // may be empty; equal in the result and the log of one run
  bool on_virtual_time = false;
  std::vector<ReportFact> facts;
  std::vector<ReportCheck> checks;
  std::vector<ReportTable> tables;
  std::vector<std::string> notes;
  std::vector<NamedFigure> figures;
  std::optional<RunPicture> picture;
  std::optional<Evidence> evidence;
};

// Bars of a bench: one value for each algorithm and series.
struct BarChart {
  std::string title;
  std::string unit;
  std::vector<std::string> groups;                         // along the axis
  std::vector<std::string> series;                         // side by side
  std::vector<std::vector<std::optional<double>>> values;  // by series, then by group
  std::optional<double> limit;                             // drawn as a horizontal line
  bool is_logarithmic = false;
};

struct Report {
  Mood mood = Mood::neutral;
  std::string verdict;
  std::string sentence;
  std::vector<ReportFact> facts;
  std::vector<std::string> commands;  // that repeat the run
  std::vector<ReportTable> tables;
  std::vector<BarChart> bars;
  std::string bars_note;  // what their figures are: a sentence
  std::vector<ReportRun> runs;
  std::vector<std::string> notes;
};

Mood mood_of(VerdictKind verdict);

// For verdict words of result files, such as "holds"; neutral if empty, doubtful for other words.
Mood mood_of_word(const std::string& verdict);

// Adds a fact. Several values of one name are one fact, "redis 7.0.15; redis 8.0.2"; none is told
// twice.
void add_fact(ReportFact fact, std::vector<ReportFact>& facts);

// Sets the headline, the mood and the number of scenarios from the runs: one sentence for all of
// them. The log of a scenario is not counted beside the scenario.
void add_headline(Report& report);

// Appends the parts of `other` to those of `report`.
void append_report(Report other, Report& report);

}  // namespace rlctl
