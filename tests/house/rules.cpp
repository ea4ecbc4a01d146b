#include "house/rules.h"

#include <algorithm>
#include <initializer_list>
#include <regex>
#include <set>

#include "base/utf8.h"
#include "house/source_scan.h"
#include "house/test_scan.h"
#include "house/type_scan.h"

namespace rlctl::house {
namespace {

using Names = std::set<std::string>;

// What each room of src/ may include of ours, as src/CMakeLists.txt has it. `pure`: no clock,
// socket, event loop or coroutine, apart from the files named in `touches_files`. `header`: the
// file to open first, as README lists it.
struct Room {
  std::string header;
  Names may_include;
  bool pure = false;
};

const std::map<std::string, Room>& rooms() {
  static const std::map<std::string, Room> table = [] {
    const Names log_up = {"log", "policy", "base"};
    const auto with = [](Names names, const Names& more) {
      names.insert(more.begin(), more.end());
      return names;
    };
    const Names scenario = with(log_up, {"arrivals", "verdict", "io", "scenario"});
    const Names result = with(log_up, {"arrivals", "verdict", "scenario", "result"});
    const Names compare = with(log_up, {"verdict", "arrivals", "result", "compare"});
    const Names limiter = with(log_up, {"io", "limiter"});
    const Names probe = with(log_up, {"probe"});
    const Names run = with(with(compare, scenario), with(limiter, with(probe, {"run"})));
    const Names plan = with(log_up, {"verdict", "plan"});
    const Names report = with(with(compare, plan), {"scenario", "report"});
    const Names all = with(with(run, report), {"inspect", "probe", "cli"});
    return std::map<std::string, Room>{
        {"base", {"base/error.h", {"base"}, true}},
        {"io", {"io/loop.h", {"io", "base"}}},
        {"policy", {"policy/policy.h", {"policy", "base"}, true}},
        {"log", {"log/record.h", with(log_up, {"io"}), true}},
        {"arrivals", {"arrivals/traffic.h", with(log_up, {"arrivals"}), true}},
        {"verdict", {"verdict/verdict.h", with(log_up, {"verdict"}), true}},
        {"limiter", {"limiter/limiter.h", limiter}},
        {"scenario", {"scenario/scenario.h", scenario, true}},
        {"result", {"result/fields.h", result, true}},
        {"compare", {"compare/run_comparison.h", compare, true}},
        {"inspect", {"inspect/inspection.h", {"inspect", "limiter", "policy", "io", "base"}}},
        {"run", {"run/drive.h", run}},
        {"plan", {"plan/plan.h", plan, true}},
        {"probe", {"probe/hypothesis.h", probe, true}},
        {"report", {"report/page/report.h", report, true}},
        {"cli", {"cli/verb.h", all}},
        {"main.cpp", {"", all}},
    };
  }();
  return table;
}

// In pure rooms, what opens files, and so may include io.
const Names& touches_files() {
  static const Names files = {"src/log/log_file.h",
                              "src/log/log_file.cpp",
                              "src/log/spill_file.h",
                              "src/log/spill_file.cpp",
                              "src/scenario/read/scenario_file.h",
                              "src/scenario/read/scenario_file.cpp"};
  return files;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string at_line(const std::string& path, std::size_t line, const std::string& what) {
  return path + ":" + std::to_string(line) + ": " + what;
}

std::string first_part(const std::string& path) { return path.substr(0, path.find('/')); }

// "src/base/units.h" -> "base"; "src/main.cpp" -> "main.cpp"; "" outside of src/.
std::string directory_in_src(const std::string& path) {
  return path.starts_with("src/") ? first_part(path.substr(4)) : std::string();
}

// "src/io/redis/a.h" -> "src/io/redis".
std::string folder_of(const std::string& path) {
  return path.substr(0, std::min(path.rfind('/'), path.size()));
}

struct Include {
  std::string name;
  bool quoted = false;
  std::size_t line = 0;
};

std::vector<Include> includes_of(std::string_view text) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, pattern))
      includes.push_back({match[2].str(), match[1].str() == "\"", number});
  }
  return includes;
}

bool ends_with_any(const std::string& path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

bool names_source(std::string_view cmake, const std::string& source) {
  static const std::regex names(R"([\w./-]+\.cpp)");
  for (std::string line : lines_of(cmake)) {
    line.resize(std::min(line.find('#'), line.size()));
    for (std::sregex_iterator it(line.begin(), line.end(), names), end; it != end; ++it) {
      if (it->str() == source) return true;
    }
  }
  return false;
}

std::vector<std::string> opening_comment(std::string_view text) {
  std::vector<std::string> lines = lines_of(text);
  const auto is_code = [](const std::string& line) { return !line.starts_with("//"); };
  lines.erase(std::ranges::find_if(lines, is_code), lines.end());
  return lines;
}

// A comment names a header from src/, from its room or from its own folder.
bool is_header(const std::string& named, const std::string& room, const std::string& path,
               const std::map<std::string, std::string>& sources) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return sources.contains("src/" + named) || sources.contains("src/" + room + "/" + named) ||
         sources.contains(folder + named);
}

bool is_cpp(const std::string& path) { return ends_with_any(path, {".cpp", ".h"}); }

}  // namespace

Findings check_includes(const std::string& path, std::string_view text) {
  const std::string own = directory_in_src(path);
  if (own.empty() || !is_cpp(path)) return {};
  const auto room = rooms().find(own);
  if (room == rooms().end()) return {at_line(path, 1, "not in a room of the house")};
  Findings findings;
  for (const Include& include : includes_of(text)) {
    const std::string target = first_part(include.name);
    const bool known = rooms().contains(target) && include.name != target;
    if (include.quoted && !known)
      findings.push_back(at_line(path, include.line, "not written from src/: " + include.name));
    const bool uphill = known && !room->second.may_include.contains(target);
    const bool impure = room->second.pure && target == "io" && !touches_files().contains(path);
    if (uphill || impure)
      findings.push_back(at_line(path, include.line, own + " may not include " + include.name));
  }
  return findings;
}

Findings check_no_circles(const std::map<std::string, std::string>& sources) {
  std::map<std::string, Names> reached;  // by folder: those that it includes, directly at first
  for (const auto& [path, text] : sources) {
    const std::string own = folder_of(path);
    for (const Include& include : includes_of(text)) {
      const std::string target = "src/" + folder_of(include.name);
      if (include.quoted && target != own) reached[own].insert(target);
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [folder, targets] : reached)
      for (const std::string& target : Names(targets))
        for (const std::string& next : reached[target])
          grown = targets.insert(next).second || grown;
  }
  std::string circle;
  for (const auto& [folder, targets] : reached)
    if (targets.contains(folder)) circle += " " + folder;
  if (circle.empty()) return {};
  return {"folders include each other:" + circle};
}

Findings check_purity(const std::string& path, std::string_view text) {
  const std::string own = directory_in_src(path);
  const auto room = rooms().find(own);
  if (room == rooms().end() || !room->second.pure || !is_cpp(path)) return {};
  if (touches_files().contains(path)) return {};
  static const std::regex headers(
      R"(^(sys/|netinet/|arpa/|netdb\.h|poll\.h|unistd\.h|event|hiredis|openssl/|curl/|lua)"
      R"(|(coroutine|thread|mutex)$))");
  static const std::regex clocks(
      R"(\b((steady|system|high_resolution)_clock|clock_gettime|gettimeofday)\b)");
  Findings findings;
  for (const Include& include : includes_of(text)) {
    // inet_pton and inet_ntop are pure functions.
    const bool addresses = own == "base" && include.name == "arpa/inet.h";
    if (std::regex_search(include.name, headers) && !addresses)
      findings.push_back(at_line(path, include.line, own + " is pure: <" + include.name + ">"));
  }
  std::size_t number = 0;
  for (const std::string& line : lines_of(blank_cpp(text))) {
    ++number;
    if (std::regex_search(line, clocks))
      findings.push_back(at_line(path, number, own + " reads no clock"));
  }
  return findings;
}

Findings check_function_lengths(const std::string& path, std::string_view text) {
  const bool lua = path.ends_with(".lua");
  if (!lua && !is_cpp(path)) return {};
  const Scan scan = lua ? scan_lua(text) : scan_cpp(text);
  Findings findings;
  if (!scan.balanced) findings.push_back(at_line(path, 1, "blocks are not balanced"));
  for (const Function& function : scan.functions) {
    if (function.lines <= kMostFunctionLines) continue;
    findings.push_back(at_line(path, function.first_line,
                               std::to_string(function.lines) + " lines: " + function.head));
  }
  return findings;
}

Findings check_file_length(const std::string& path, std::string_view text) {
  const bool code = ends_with_any(
      path, {".cpp", ".h", ".lua", ".sh", ".py", ".js", ".css", ".html", ".cmake", "Lists.txt"});
  const std::size_t lines = lines_of(text).size();
  if (!code || lines <= kMostFileLines) return {};
  return {at_line(path, lines, std::to_string(lines) + " lines in one file")};
}

Findings check_line_lengths(const std::string& path, std::string_view text) {
  if (directory_in_src(path).empty() || !is_cpp(path)) return {};
  Findings findings;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::size_t columns = display_width(line);
    if (columns > kMostColumns)
      findings.push_back(at_line(path, number, std::to_string(columns) + " columns"));
  }
  return findings;
}

Findings check_header_comment(const std::string& path, std::string_view text) {
  if (directory_in_src(path).empty() || !path.ends_with(".h")) return {};
  const std::size_t first = std::min(text.find_first_not_of(" \n"), text.size());
  const std::string_view opening = text.substr(first, 2);
  if (opening == "//" || opening == "/*") return {};
  return {at_line(path, 1, "a header opens with a comment: what it owns, how it fails")};
}

Findings check_listed(const std::string& path, const Lists& lists) {
  if (!path.ends_with(".cpp")) return {};
  for (const auto& [directory, cmake] : lists) {
    const bool below = path.starts_with(directory + "/");
    if (below && names_source(cmake, path.substr(directory.size() + 1))) return {};
  }
  return {at_line(path, 1, "in no CMakeLists.txt: never built")};
}

Findings check_room_sizes(const std::vector<std::string>& paths) {
  std::map<std::string, std::size_t> files;
  for (const std::string& path : paths) ++files[folder_of(path)];
  Findings findings;
  for (const auto& [folder, count] : files)
    if (count > kMostFolderFiles)
      findings.push_back(folder + " holds " + std::to_string(count) + " files, more than " +
                         std::to_string(kMostFolderFiles));
  return findings;
}

Findings check_room_headers(const std::map<std::string, std::string>& sources) {
  static const std::regex header_name(R"([\w/]+\.h\b)");
  Findings findings;
  for (const auto& [name, room] : rooms()) {
    if (room.header.empty()) continue;
    const std::string path = "src/" + room.header;
    const auto header = sources.find(path);
    const std::vector<std::string> comment =
        header == sources.end() ? std::vector<std::string>() : opening_comment(header->second);
    if (comment.size() < kLeastRoomCommentLines)
      findings.push_back(
          at_line(path, 1,
                  "opens the room " + name + " with " + std::to_string(comment.size()) +
                      " lines of comment, fewer than " + std::to_string(kLeastRoomCommentLines)));
    for (std::size_t i = 0; i < comment.size(); ++i)
      for (std::sregex_iterator it(comment[i].begin(), comment[i].end(), header_name), end;
           it != end; ++it)
        if (!is_header(it->str(), name, path, sources))
          findings.push_back(at_line(path, i + 1, "there is no " + it->str()));
  }
  return findings;
}

Findings check_test_names(const std::string& path, std::string_view text) {
  if (!path.ends_with("_test.cpp")) return {};
  Findings findings;
  for (const TestCase& test : test_cases_of(text)) {
    const std::size_t bad = test.name.find_first_of(";[]\\");
    if (bad != std::string::npos)
      findings.push_back(at_line(path, test.line,
                                 std::string("a test name with '") + test.name[bad] +
                                     "' is never run by ctest: " + test.name));
  }
  return findings;
}

Findings check_test_loops(const std::string& path, std::string_view text) {
  if (!path.ends_with("_test.cpp")) return {};
  Findings findings;
  for (const TestCase& test : test_cases_of(text))
    if (test.may_check_nothing)
      findings.push_back(at_line(path, test.line, "passes if its loop is empty: " + test.name));
  return findings;
}

Findings check_readme(std::string_view readme, const Names& paths) {
  static const std::regex source_file(R"(`([\w/]+\.(cpp|h))`)");
  Findings findings;
  Names named;
  std::size_t number = 0;
  for (const std::string& line : lines_of(readme)) {
    ++number;
    for (std::sregex_iterator it(line.begin(), line.end(), source_file), end; it != end; ++it) {
      const std::string file = (*it)[1];
      named.insert(file);
      if (!paths.contains("src/" + file) && !paths.contains(file))
        findings.push_back(at_line("README.md", number, "there is no " + file));
    }
  }
  for (const auto& [name, room] : rooms())
    if (!room.header.empty() && !named.contains(room.header))
      findings.push_back(
          at_line("README.md", 1, "does not name " + room.header + " of the room " + name));
  return findings;
}

Findings check_unique_types(const std::map<std::string, std::string>& sources) {
  std::map<std::string, std::string> places;
  Findings findings;
  for (const auto& [path, text] : sources) {
    if (!is_cpp(path)) continue;
    for (const TypeDefinition& type : types_of(text)) {
      const std::string place = path + ":" + std::to_string(type.line);
      const auto [first, fresh] = places.emplace(type.name, place);
      if (!fresh)
        findings.push_back(
            at_line(path, type.line, type.name + " is defined in " + first->second + " too"));
    }
  }
  return findings;
}

}  // namespace rlctl::house
