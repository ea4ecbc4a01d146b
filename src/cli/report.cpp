// rlctl report: writes judged logs and results of other verbs as pages, summaries and tables.
#include "report/page/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "cli/judged_logs.h"
#include "cli/options/verify_options.h"
#include "cli/output/output.h"
#include "cli/output/output_files.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "io/atomic_file.h"
#include "log/log_file.h"
#include "report/page/formats.h"
#include "report/page/of_logs.h"
#include "report/page/of_results.h"

namespace rlctl {
namespace {

struct ReportOptions {
  VerifyOptions verify;
  std::string html;
  std::string markdown;
  std::string csv;
  std::string junit;
  std::string svg;
};

// A format of the report, and the path to write it to.
struct ReportFormat {
  const std::string& path;
  std::string (*text)(const Report&);
};

std::string page(const Report& report) { return html_page(report, RLCTL_VERSION); }

std::vector<ReportFormat> formats_of(const ReportOptions& options) {
  return {{options.html, page},
          {options.markdown, report_markdown},
          {options.csv, report_csv},
          {options.junit, report_junit},
          {options.svg, svg_picture}};
}

// Opens the files before anything is read, so that a path that can't be written is reported at
// once.
std::vector<std::unique_ptr<AtomicFile>> open_all(const std::vector<ReportFormat>& formats,
                                                  const std::vector<std::string>& logs) {
  std::vector<std::string> paths;
  for (const ReportFormat& format : formats) paths.push_back(format.path);
  check_output_files(paths, logs);
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (const std::string& path : paths)
    files.push_back(path.empty() ? nullptr : std::make_unique<AtomicFile>(path));
  return files;
}

Report make_report(const ReportOptions& options) {
  const VerifyOptions& verify = options.verify;
  Progress progress(!verify.quiet());
  const WorkWatcher watcher = progress.watcher();
  LogsAndOthers read =
      read_logs_and_others(verify.logs(), verify.read_options(), looks_like_result, watcher);
  Report report;
  for (const OtherText& result : read.others)
    append_report(report_of_result(result.text, result.name), report);
  if (!read.logs) return report;
  const VerifyResult judged = judge_logs(std::move(*read.logs), verify, watcher);
  append_report(report_of_logs(judged, [&](const Log& log) { return verify.judge_options(log); }),
                report);
  return report;
}

// Without a format option, writes an HTML page.
Exit run_report(ReportOptions options) {
  options.verify.judge_options(Log());  // report a wrong option before reading a long log
  const auto given = [](const ReportFormat& format) { return !format.path.empty(); };
  const bool chosen = std::ranges::any_of(formats_of(options), given);
  if (!chosen) options.html = "report.html";
  const std::vector<ReportFormat> formats = formats_of(options);
  const auto files = open_all(formats, options.verify.logs());
  const Report report = make_report(options);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (!files[i]) continue;
    files[i]->write(formats[i].text(report));
  }
  for (const auto& file : files)
    if (file) file->close();
  if (!chosen)
    print(fmt::format("{}: {}\nwritten to report.html\n", report.verdict, report.sentence));
  return Exit::done;
}

Action add_report_options(Options& app) {
  auto options = std::make_shared<ReportOptions>();
  options->verify.add_for_report_to(app);
  const auto add = [&](const char* name, std::string& value, const char* help) {
    app.add_option(name, value, help).type_name("FILE");
  };
  add("-o,--html", options->html,
      "HTML page that needs no network [report.html]; - is standard output");
  add("--markdown", options->markdown, "Markdown, for the summary of a CI job");
  add("--csv", options->csv, "CSV: one row per run, one column per figure");
  add("--junit", options->junit, "JUnit XML: each violation is a failure");
  add("--svg", options->svg, "SVG picture of the worst windows, for a README");
  return [options] { return run_report(*options); };
}

}  // namespace

const Verb kReportVerb{
    "report", "Writes logs and results as an HTML page with pictures, or as tables for CI.",
    "  rlctl report run.jsonl -o report.html\n"
    "  rlctl report bench.json bench.jsonl --html bench.html --markdown summary.md",
    add_report_options};

}  // namespace rlctl
