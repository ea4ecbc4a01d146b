// rlctl report: judged logs and results of other verbs as pages, summaries and tables.
#include "report/report.h"

#include <fmt/format.h>

#include "cli/judged_logs.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "cli/verify_options.h"
#include "core/escape.h"
#include "io/atomic_file.h"
#include "io/log_reader.h"
#include "report/html_page.h"
#include "report/report_of_logs.h"

namespace rlctl {
namespace {

struct ReportOptions {
  VerifyOptions verify;
  std::string html = "report.html";
};

Report make_report(const ReportOptions& options) {
  const VerifyResult result =
      judge_logs(read_logs(options.verify.logs(), options.verify.read_options()), options.verify);
  return report_of_logs(
      result, [&](const Log& log) { return options.verify.judge_options(log.tolerance_us); });
}

Exit run(const ReportOptions& options) {
  options.verify.judge_options(0);  // a wrong option is told before a long log is read
  AtomicFile html(options.html);
  const Report report = make_report(options);
  html.write(html_page(report, RLCTL_VERSION));
  html.close();
  return Exit::done;
}

Action add_options(Options& app) {
  auto options = std::make_shared<ReportOptions>();
  options->verify.add_for_report_to(app);
  app.add_option("-o,--html", options->html,
                 "a page that opens without a network; - is standard output [report.html]")
      .type_name("FILE");
  return [options] { return run(*options); };
}

}  // namespace

const Verb kReportVerb{"report",
                       "A log or a result as a page with pictures, for people and for CI.",
                       "  rlctl report run.jsonl -o report.html\n"
                       "  rlctl report bench.json bench.jsonl -o report.html",
                       add_options};

}  // namespace rlctl
