// The report as a reader sees it: in a real browser, from disk.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "browser/browser.h"
#include "cli/support/process.h"

using rlctl::test::Browser;
using Json = nlohmann::json;

namespace {

constexpr const char* kTab = "\ue004";
constexpr const char* kEnter = "\ue007";

// One browser for all tests: it takes seconds to start.
Browser& browser() {
  static Browser one;
  return one;
}

std::string path_of(const std::string& name) { return browser().folder() / name; }

void write(const std::string& name, const std::string& text) {
  std::ofstream(path_of(name), std::ios::binary) << text;
}

// `rlctl report` with these arguments, opened when all its charts are drawn.
void open_report(Arguments arguments) {
  arguments.insert(arguments.begin(), "report");
  arguments.insert(arguments.end(), {"-o", path_of("report.html")});
  const Outcome written = run_rlctl(arguments);
  REQUIRE_MESSAGE(written.exit == 0, written.err);
  browser().console();
  browser().requests();
  browser().open("file://" + path_of("report.html"));
  browser().wait_until("return 'drawn' in document.documentElement.dataset");
}

// Two algorithms, each played once: one violates the policy, one holds.
const std::string& bench_log() {
  static const std::string path = [] {
    const Outcome played = run_rlctl({"bench", "--algo", "fixed", "--algo", "sliding", "--algo",
                                      "sliding-list", "--rounds", "1", "--limit", "20", "--window",
                                      "1s", "--log", path_of("bench.jsonl"), "--json"});
    REQUIRE_MESSAGE(played.exit == 0, played.err);
    write("bench.json", played.out);
    return path_of("bench.jsonl");
  }();
  return path;
}

constexpr long long kStart = 1'700'000'000'000'000;

std::string record(long long at_us, const std::string& outcome, const std::string& key,
                   long long lasts_us = 900) {
  const Json json{{"sent_us", kStart + at_us},
                  {"received_us", kStart + at_us + lasts_us},
                  {"outcome", outcome},
                  {"key", key}};
  return json.dump() + "\n";
}

std::string burst_log(const std::string& key, const Json& more = Json::object()) {
  Json header{
      {"rlctl_log", 2},
      {"algorithm", "mine"},
      {"policy",
       {{"rules", Json::array({{{"kind", "sliding"}, {"limit", 3}, {"window_us", 1'000'000}}})}}}};
  header.update(more);
  std::string text = header.dump() + "\n";
  // First in its line, where a log is recognized by it.
  text = "{\"rlctl_log\":2," + text.substr(1);
  for (int i = 0; i < 9; ++i) text += record(i * 1'000, i < 6 ? "allowed" : "denied", key);
  return text;
}

// How many charts show more than one colour.
const char* const kPainted = R"(
  return [...document.querySelectorAll('canvas')].filter((canvas) => {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < pixels.length && seen.size < 4; i += 4)
      if (pixels[i + 3] > 0) seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
    return seen.size >= 4;
  }).length)";

void emulate_scheme(const char* scheme) {
  browser().command("Emulation.setEmulatedMedia",
                    {{"features", {{{"name", "prefers-color-scheme"}, {"value", scheme}}}}});
}

}  // namespace

TEST_CASE("every chart of a bench is drawn, without errors or network requests") {
  open_report({bench_log(), path_of("bench.json")});
  const int charts = browser().run("return document.querySelectorAll('canvas').length");
  CHECK(charts >= 12);
  CHECK(browser().run("return Number(document.documentElement.dataset.drawn)") == charts);
  CHECK(browser().run(kPainted) == charts);
  CHECK(browser().console() == std::vector<std::string>());
  const auto asked = browser().requests();
  CHECK(
      std::ranges::all_of(asked, [](const std::string& url) { return url.starts_with("file:"); }));
  CHECK(asked.size() == 1);
  CHECK(browser().run("return performance.getEntriesByType('resource').length") == 0);
}

TEST_CASE("the verdict is the heading and is a sentence") {
  open_report({bench_log()});
  const std::string heading = browser().run("return document.querySelector('main h1').textContent");
  CHECK(heading.starts_with("Violated: fixed: "));
  CHECK(contains(heading, "but the limit is 20 per 1s"));
  CHECK_MESSAGE(contains(heading, "sliding-list holds"), heading);
  CHECK(browser().run("return document.querySelectorAll('h1').length") == 1);
  CHECK(contains(browser().run("return document.body.innerText"), "rlctl bench --algo fixed"));
}

TEST_CASE("the keyboard reaches the verdict and sorts a table") {
  open_report({bench_log()});
  browser().press(kTab);
  CHECK(browser().run("return document.activeElement.className") == "skip");
  browser().press(kEnter);
  browser().wait_until("return document.activeElement.id === 'verdict'");
  bool found = false;
  for (int i = 0; i < 12 && !found; ++i) {
    browser().press(kTab);
    found = browser().run("return document.activeElement.closest('th') !== null");
  }
  REQUIRE(found);
  const auto first = "return document.activeElement.closest('table').tBodies[0].rows[0].innerText";
  browser().press(kEnter);
  CHECK(browser().run("return document.activeElement.closest('th').ariaSort") == "ascending");
  const std::string ascending = browser().run(first);
  browser().press(kEnter);
  CHECK(browser().run("return document.activeElement.closest('th').ariaSort") == "descending");
  CHECK(browser().run(first) != ascending);
}

TEST_CASE("every chart describes itself in words and has its figures in a table") {
  open_report({bench_log(), path_of("bench.json")});
  CHECK(browser().run("return [...document.querySelectorAll('canvas')].every("
                      "(c) => c.getAttribute('role') === 'img' && c.ariaLabel.length > 20)") ==
        true);
  browser().run("for (const d of document.querySelectorAll('figure details')) d.open = true");
  browser().wait_until(
      "return [...document.querySelectorAll('figure')].every("
      "(f) => f.querySelectorAll('tbody tr').length > 0)");
  CHECK(browser().run("const run = JSON.parse(document.getElementById('data').textContent).runs[0];"
                      "return document.querySelector('figure[data-chart=timeline]')"
                      ".querySelectorAll('tbody tr').length === run.timeline.allowed.length") ==
        true);
}

TEST_CASE("a log without durations has no chart of latencies, and says why") {
  std::string log = "time,key,status\n";
  for (int i = 0; i < 20; ++i)
    log += std::to_string(1'700'000'000 + i) + ",a," + (i % 4 == 3 ? "429" : "200") + "\n";
  write("stamps.csv", log);
  for (const Arguments& longest : {Arguments{}, Arguments{"--longest", "5s"}}) {
    Arguments arguments{path_of("stamps.csv"), "--policy", "3/4s"};
    arguments.insert(arguments.end(), longest.begin(), longest.end());
    open_report(arguments);
    CHECK(browser().run("return document.querySelectorAll('[data-chart=latency]').length") == 0);
    CHECK(browser().run("return document.body.textContent.includes('the log has no durations')") ==
          true);
  }
}

TEST_CASE("a hostile key stays text, in the page and in its charts") {
  const std::string hostile =
      "</script><script>window.owned=1</script><img src=x onerror=window.owned=1>"
      "\"'&lt;<!--<script>";
  write("hostile.jsonl",
        burst_log(hostile, {{"command", hostile},
                            {"run_id", hostile},
                            {"server", hostile},
                            {"faults", {{{"kind", hostile}, {"at_us", kStart}}}}}));
  open_report({path_of("hostile.jsonl")});
  CHECK(browser().run("return window.owned === undefined") == true);
  CHECK(browser().run("return document.images.length") == 0);
  CHECK(browser().run("return document.scripts.length") == 3);
  CHECK(contains(browser().run("return document.body.innerText"), "<img src=x onerror"));
  CHECK(browser().console() == std::vector<std::string>());
}

TEST_CASE("only the report's own scripts run") {
  open_report({bench_log()});
  browser().run(
      "const s = document.createElement('script'); s.textContent = 'window.owned = 1';"
      "document.body.append(s);");
  CHECK(browser().run("return window.owned === undefined") == true);
  const auto said = browser().console();
  CHECK(std::ranges::any_of(
      said, [](const std::string& line) { return contains(line, "Content Security Policy"); }));
}

TEST_CASE("light and dark follow the reader's setting, charts too") {
  open_report({bench_log()});
  const auto paper = "return getComputedStyle(document.body).backgroundColor";
  const auto ink =
      "return Chart.getChart(document.querySelector('canvas')).options.plugins.legend.labels.color";
  emulate_scheme("light");
  browser().wait_until("return matchMedia('(prefers-color-scheme: light)').matches");
  const Json light_paper = browser().run(paper);
  const Json light_ink = browser().run(ink);
  emulate_scheme("dark");
  browser().wait_until("return matchMedia('(prefers-color-scheme: dark)').matches");
  CHECK(browser().run(paper) != light_paper);
  CHECK(browser().run(ink) != light_ink);
  emulate_scheme("light");
}

TEST_CASE("on a phone nothing is wider than the screen") {
  open_report({bench_log(), path_of("bench.json")});
  browser().command("Emulation.setDeviceMetricsOverride",
                    {{"width", 390}, {"height", 844}, {"deviceScaleFactor", 2}, {"mobile", true}});
  browser().wait_until("return innerWidth === 390");
  CHECK(browser().run("return document.documentElement.scrollWidth") == 390);
  browser().wait_until(
      "return [...document.querySelectorAll('canvas')].every("
      "(c) => c.getBoundingClientRect().right <= 390)");
  browser().command("Emulation.clearDeviceMetricsOverride", Json::object());
}

TEST_CASE("a plan on a phone: no table is cut off without a sign") {
  std::string log = "time,key,status\n";
  for (int i = 0; i < 60; ++i)
    log += std::to_string(1'700'000'000 + i) + ",client-" + std::to_string(i % 3) + ",200\n";
  write("plan.csv", log);
  const Outcome written = run_rlctl({"plan", path_of("plan.csv"), "--policy", "2/10s", "--policy",
                                     "100/1m", "--html", path_of("plan.html")});
  REQUIRE_MESSAGE(written.exit == 0, written.err);
  browser().open("file://" + path_of("plan.html"));
  browser().wait_until("return 'drawn' in document.documentElement.dataset");
  browser().command("Emulation.setDeviceMetricsOverride",
                    {{"width", 390}, {"height", 844}, {"deviceScaleFactor", 2}, {"mobile", true}});
  browser().wait_until("return innerWidth === 390");
  CHECK(browser().run("return document.documentElement.scrollWidth") == 390);
  const Json cut = browser().run(
      "return [...document.querySelectorAll('.scroll')].filter((s) => s.scrollWidth > "
      "s.clientWidth)"
      ".map((s) => getComputedStyle(s).backgroundImage)");
  CHECK(cut.size() <= 2);  // nine columns are wider than a phone
  for (const Json& image : cut) CHECK(contains(image, "linear-gradient"));
  browser().command("Emulation.clearDeviceMetricsOverride", Json::object());
}

TEST_CASE("on paper it prints in light colours, even from a dark screen") {
  open_report({bench_log()});
  emulate_scheme("dark");
  browser().wait_until("return matchMedia('(prefers-color-scheme: dark)').matches");
  browser().run(
      "window.printed = null; addEventListener('beforeprint', () => {"
      "window.printed = getComputedStyle(document.body).getPropertyValue('--ink'); });");
  const Json pdf = browser().command("Page.printToPDF", {{"printBackground", true}});
  CHECK(pdf.at("data").get<std::string>().size() > 20'000);
  CHECK(contains(browser().run("return window.printed"), "#14181f"));
  emulate_scheme("light");
}

TEST_CASE("on paper a bench of three algorithms has five pages") {
  open_report({bench_log(), path_of("bench.json")});
  const std::string pdf = browser().command("Page.printToPDF", Json::object()).at("data");
  const int pages =
      browser().run("return atob('" + pdf + "').match(/\\/Type\\s*\\/Page\\b/g).length");
  CHECK(pages >= 3);
  CHECK(pages <= 5);
}

TEST_CASE("on paper a chart is not stretched, and no verdict is broken in the middle of a word") {
  open_report({bench_log(), path_of("bench.json")});
  browser().command("Emulation.setEmulatedMedia", {{"media", "print"}});
  browser().command(
      "Emulation.setDeviceMetricsOverride",
      {{"width", 740}, {"height", 1000}, {"deviceScaleFactor", 1}, {"mobile", false}});
  browser().run("dispatchEvent(new Event('beforeprint'))");
  const Json stretched = browser().run(
      "return [...document.querySelectorAll('canvas')].map((c) =>"
      "c.clientWidth / c.clientHeight / (c.width / c.height))");
  REQUIRE(stretched.size() >= 12);
  for (const Json& factor : stretched) {
    CHECK(factor.get<double>() > 0.97);
    CHECK(factor.get<double>() < 1.03);
  }
  const Json lines = browser().run(
      "return [...document.querySelectorAll('td.tone')].map((td) => {"
      "const words = document.createRange(); words.selectNodeContents(td);"
      "return words.getClientRects().length; })");
  REQUIRE(lines.size() >= 6);
  for (const Json& count : lines) CHECK(count <= 1);  // 0: on paper the row is left out
  browser().command("Emulation.clearDeviceMetricsOverride", Json::object());
  browser().command("Emulation.setEmulatedMedia", {{"media", ""}});
}

TEST_CASE("faults are on the time axes with their recovery time") {
  write("fault.jsonl",
        burst_log("k", {{"faults", {{{"kind", "redis_restart"}, {"at_us", kStart + 2'500}}}}}));
  open_report({path_of("fault.jsonl")});
  const Json marks = browser().run(
      "return [...document.querySelectorAll('figure')].map((f) => [f.dataset.chart,"
      "(Chart.getChart(f.querySelector('canvas')).options.plugins.marks.faults || [])"
      ".map((m) => m.label)])");
  int marked = 0;
  for (const Json& chart : marks) {
    const std::string name = chart.at(0);
    if (name != "closeUp" && name != "timeline" && name != "rate") continue;
    REQUIRE(chart.at(1).size() == 1);
    CHECK(chart.at(1).at(0) == "redis_restart: answered after 1.4 ms");
    ++marked;
  }
  CHECK(marked == 3);
}

TEST_CASE("at 1,200 pixels no table of a bench is cut off") {
  open_report({path_of("bench.json")});
  browser().command(
      "Emulation.setDeviceMetricsOverride",
      {{"width", 1200}, {"height", 900}, {"deviceScaleFactor", 1}, {"mobile", false}});
  browser().wait_until("return innerWidth === 1200");
  CHECK(browser().run("return document.querySelectorAll('.scroll table').length") >= 1);
  CHECK(browser().run("return [...document.querySelectorAll('.scroll')]"
                      ".filter((s) => s.scrollWidth > s.clientWidth).length") == 0);
  browser().command("Emulation.clearDeviceMetricsOverride", Json::object());
}

TEST_CASE("a small run beside a large one has an axis of its own") {
  std::string large = burst_log("k", {{"history", "large"}});
  for (int i = 0; i < 600; ++i) large += record(10'000 + i * 10, "allowed", "k");
  write("both.jsonl", burst_log("k", {{"history", "small"}}) + large);
  open_report({path_of("both.jsonl")});
  const Json tops = browser().run(
      "return [...document.querySelectorAll('figure[data-chart=envelope] canvas')]"
      ".map((c) => Chart.getChart(c).scales.y.max)");
  REQUIRE(tops.size() == 2);
  CHECK(tops.at(0) < 20);
  CHECK(tops.at(1) > 600);
}

TEST_CASE("a bar of the evidence keeps its colour if the time of the decision is unknown") {
  write("no-stamps.jsonl", burst_log("k"));
  open_report({path_of("no-stamps.jsonl")});
  const Json marks = browser().run(
      "return Chart.getChart(document.querySelector('figure[data-chart=evidence] canvas'))"
      ".options.plugins.marks.decided");
  REQUIRE(marks.size() == 6);
  for (const Json& mark : marks) CHECK(mark.is_null());
}

TEST_CASE("the last bars of the evidence lie inside the chart") {
  std::string log = burst_log("k");
  for (int i = 0; i < 6; ++i) log += record(100'000, "allowed", "k", 0);
  write("edge.jsonl", log);
  open_report({path_of("edge.jsonl")});
  const Json ends = browser().run(
      "const chart = Chart.getChart(document.querySelector('figure[data-chart=evidence] canvas'));"
      "const last = Math.max(...chart.data.datasets[0].data.map((span) => span[1]));"
      "return [chart.scales.x.getPixelForValue(last), chart.chartArea.right]");
  CHECK(ends.at(0).get<double>() + 3 <= ends.at(1).get<double>());
}

TEST_CASE("what is only possible is hatched, and what is proven is not") {
  std::string log = burst_log("k");
  log.resize(log.find('\n') + 1);
  for (int i = 0; i < 9; ++i)
    log += record(i * 1'000, i < 6 ? "allowed" : "denied", "k", 2'000'000);
  write("possible.jsonl", log);
  write("proven.jsonl", burst_log("k"));
  const auto drawn = [](const std::string& name) {
    open_report({path_of(name)});
    return browser().run(
        "const of = (kind) =>"
        "Chart.getChart(document.querySelector(`figure[data-chart=${kind}] canvas`));"
        "const tones = of('evidence').data.datasets[0].backgroundColor;"
        "const close = of('closeUp');"
        "return [tones[5] instanceof CanvasPattern,"
        "close.options.plugins.marks.bands[0].over,"
        "close.data.datasets.map((set) => set.label).join(),"
        "of('envelope').data.datasets.map((set) => set.label).join()]");
  };
  const Json possible = drawn("possible.jsonl");
  CHECK(possible.at(0) == true);
  CHECK(possible.at(1) == "possible");
  CHECK(contains(possible.at(2), "possibly admitted in the last 1s"));
  CHECK(contains(possible.at(3), "most possible"));
  const Json proven = drawn("proven.jsonl");
  CHECK(proven.at(0) == false);
  CHECK(proven.at(1) == "certain");
  CHECK_FALSE(contains(proven.at(2), "possibl"));
  CHECK_FALSE(contains(proven.at(3), "possibl"));
}

TEST_CASE("every log axis has at least two labels, and lines of the grid are at their labels") {
  write("narrow.jsonl", burst_log("k"));
  open_report({bench_log(), path_of("bench.json"), path_of("narrow.jsonl")});
  const Json axes = browser().run(
      "return [...document.querySelectorAll('canvas')].flatMap((canvas) => {"
      "const chart = Chart.getChart(canvas);"
      "const kind = canvas.closest('figure').dataset.chart;"
      "return Object.values(chart.scales).map((axis) => [kind + ' ' + axis.id, axis.type,"
      "axis.ticks.filter((tick) => tick.label).length, axis.options.grid.display && "
      "axis.options.grid.offset]); })");
  int logarithmic = 0;
  for (const Json& axis : axes) {
    CAPTURE(axis.dump());
    CHECK(axis.at(3) == false);
    if (axis.at(1) != "logarithmic") continue;
    ++logarithmic;
    CHECK(axis.at(2) >= 2);
  }
  CHECK(logarithmic >= 6);
}
