#include <fmt/format.h>

#include "base/escape.h"
#include "report/page/formats.h"
#include "report/page/html_asset.h"
#include "report/page/html_parts.h"

namespace rlctl {
namespace {

// 'sha256-…' of a Content-Security-Policy.
std::string csp_hash(const HtmlAsset& asset) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < asset.sha256.size(); i += 2) {
    const std::string digits(asset.sha256.substr(i, 2));
    bytes += static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
  }
  return "'sha256-" + base64(bytes) + "'";
}

// "violated" -> "Violated", for a heading.
std::string capital(std::string word) {
  if (!word.empty() && word[0] >= 'a' && word[0] <= 'z')
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

std::string head(const Report& report) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {} "
      "{}; "
      "style-src {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}: {}</title>\n<style>{}</style>\n</head>\n",
      csp_hash(chart_library()), csp_hash(report_script()), csp_hash(report_style()),
      html_text(capital(report.verdict)), html_text(report.sentence), report_style().text);
}

std::string verdict(const Report& report) {
  std::string html = fmt::format(
      "<header class=\"verdict {}\">\n<h1 id=\"verdict\" tabindex=\"-1\"><span class=\"word\">{}:"
      "</span> {}</h1>\n",
      html_class(report.mood), html_text(capital(report.verdict)), html_text(report.sentence));
  if (report.runs.size() == 1 && !report.runs.front().remedy.empty())
    html += "<p>To get a verdict: " + html_text(report.runs.front().remedy) + "</p>\n";
  return html + "</header>\n";
}

std::string facts(const Report& report) {
  std::string html =
      "<section class=\"card\" aria-label=\"About this run\">\n<dl class=\"facts\">\n";
  const auto add = [&](const std::string& name, const std::string& value) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_text(name), html_text(value));
  };
  for (const ReportFact& fact : report.facts) add(fact.name, fact.value);
  html += "</dl>\n";
  if (report.runs.size() == 1) html += html_checks(report.runs.front().checks);
  if (!report.commands.empty()) {
    html += "<div class=\"again\"><p>To run it again</p>\n";
    for (const std::string& command : report.commands)
      html += "<pre><code>" + html_text(command) + "</code></pre>\n";
    html += "</div>\n";
  }
  return html + "</section>\n";
}

// Checks, tables and notes of one run; a single run has its checks at the top of the page already.
std::string words_of(const ReportRun& run, bool alone) {
  std::string html;
  if (!alone) html += html_checks(run.checks);
  for (const ReportTable& table : run.tables) html += html_table(table);
  html += html_notes(run.notes);
  if (html.empty() || alone) return html;
  return fmt::format("<section>\n<h3>{}: {}, {}</h3>\n{}</section>\n", html_text(run.name),
                     html_text(run.verdict), html_text(run.sentence), html);
}

std::string details(const Report& report) {
  std::string html;
  for (const ReportRun& run : report.runs) html += words_of(run, report.runs.size() == 1);
  html += html_notes(report.notes);
  if (html.empty()) return {};
  return "<section>\n<h2>Details</h2>\n" + html + "</section>\n";
}

std::string footer(std::string_view version) {
  return fmt::format(
      "<footer>\n<p>Written by rlctl {}. This file loads nothing from the network. Times are "
      "UTC.</p>\n"
      "<details><summary>Chart.js draws the charts; its licence</summary>\n"
      "<pre tabindex=\"0\">{}</pre></details>\n</footer>\n",
      version, html_text_lines(chart_licence().text));
}

std::string scripts(const Report& report) {
  return fmt::format(
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n"
      "<script>{}</script>\n",
      html_data(report), chart_library().text, report_script().text);
}

}  // namespace

std::string html_page(const Report& report, std::string_view version) {
  std::string tables;
  for (const ReportTable& table : report.tables) tables += html_table(table);
  return head(report) + "<body>\n<a class=\"skip\" href=\"#verdict\">To the verdict</a>\n<main>\n" +
         verdict(report) + facts(report) + tables + html_bars(report) + html_charts(report) +
         details(report) + "</main>\n" + footer(version) + scripts(report) + "</body>\n</html>\n";
}

}  // namespace rlctl
