#include "report/infer_text.h"

#include <fmt/format.h>

#include "base/table.h"
#include "base/units.h"

namespace rlctl {
namespace {

std::string window_sentences(const Inference& inference) {
  std::string text;
  if (inference.tightest_limit) {
    const std::string window = format_duration(inference.window_us);
    text += fmt::format("most admissions in any window of {}: {} certain", window,
                        format_count(*inference.tightest_limit));
    if (*inference.possible_limit > *inference.tightest_limit)
      text += fmt::format(", {} possible", format_count(*inference.possible_limit));
    text += fmt::format("; so every limit below {} per {} was broken\n",
                        format_count(*inference.tightest_limit), window);
  }
  if (inference.limit > 0) {
    const std::string limit = format_count(inference.limit);
    text +=
        inference.widest_window_us
            ? fmt::format(
                  "the limit of {} holds for windows of up to {}, but not for longer ones\n", limit,
                  format_duration(*inference.widest_window_us))
            : fmt::format("no key had more than {} admissions: the limit holds for every window\n",
                          limit);
  }
  return text;
}

std::string bucket_sentences(const Inference& inference) {
  std::string text;
  const std::string window = format_duration(inference.window_us);
  if (inference.bucket_at_rate)
    text += fmt::format("the smallest bucket that refills {} per {} holds {}\n",
                        format_count(inference.limit), window,
                        format_count(inference.bucket_at_rate->capacity));
  if (inference.bucket_at_limit)
    text +=
        fmt::format("a bucket of {} must refill {:.10g} per {}\n", format_count(inference.limit),
                    inference.bucket_at_limit->rate_per_window, window);
  return text;
}

std::string envelope_table(const Inference& inference, std::size_t width) {
  const bool with_line = inference.limit > 0 && inference.window_us > 0;
  std::vector<Column> columns{{"within", Align::right}, {"most admissions", Align::right}};
  if (with_line) columns.push_back({"a sliding window allows", Align::right});
  Table table(std::move(columns), 2);
  for (const EnvelopePoint& point : inference.envelope) {
    std::vector<std::string> row{format_duration(point.span_us), format_count(point.admissions)};
    if (with_line)
      row.push_back(format_count((point.span_us / inference.window_us + 1) * inference.limit));
    table.add_row(std::move(row));
  }
  return table.text(width);
}

}  // namespace

std::string infer_text(const Inference& inference, std::size_t width) {
  if (inference.admissions == 0) return "nothing was admitted: there is nothing to infer\n";
  const std::string missing =
      inference.window_us == 0 && inference.limit == 0
          ? "The log names no window: add --policy 100/1m to infer the limit that fits it.\n"
          : "";
  return missing + "What the log alone shows, for the worst key:\n" + window_sentences(inference) +
         bucket_sentences(inference) + "\n" + envelope_table(inference, width);
}

}  // namespace rlctl
