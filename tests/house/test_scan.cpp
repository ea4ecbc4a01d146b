#include "house/test_scan.h"

#include <algorithm>
#include <regex>

#include "house/source_scan.h"

namespace rlctl::house {
namespace {

struct Span {
  std::size_t begin;
  std::size_t end;
};

struct ForLoop {
  Span whole;
  std::string head;
};

// One past the bracket that closes the one at `open`; the end of the text if there is none.
std::size_t closed(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '}' || text[i] == ']') --depth;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// The end of the statement at `begin`: a block, or everything up to a ';' or a block outside
// brackets ("for (...) { }").
std::size_t statement_end(const std::string& text, std::size_t begin) {
  for (std::size_t i = begin; i < text.size();) {
    if (text[i] == ';') return i + 1;
    const bool opens = text[i] == '(' || text[i] == '{' || text[i] == '[';
    const bool block = text[i] == '{';
    i = opens ? closed(text, i) : i + 1;
    if (block) return i;
  }
  return text.size();
}

// Where a regular expression matches, in `within` of the text: the end of each match.
std::vector<Span> matches(const std::string& text, Span within, const std::regex& pattern) {
  std::vector<Span> found;
  const auto first = text.begin() + static_cast<std::ptrdiff_t>(within.begin);
  const auto last = text.begin() + static_cast<std::ptrdiff_t>(within.end);
  for (std::sregex_iterator it(first, last, pattern), end; it != end; ++it) {
    const std::size_t at = within.begin + static_cast<std::size_t>(it->position());
    found.push_back({at, at + static_cast<std::size_t>(it->length())});
  }
  return found;
}

std::vector<ForLoop> loops_in(const std::string& text, Span body) {
  static const std::regex heads(R"(\b(for|while)\s*\()");
  std::vector<ForLoop> loops;
  for (const Span& match : matches(text, body, heads)) {
    const std::size_t head_end = closed(text, match.end - 1);
    loops.push_back({{match.begin, statement_end(text, head_end)},
                     text.substr(match.end, head_end - match.end - 1)});
  }
  return loops;
}

bool fills_table(const std::string& text, const std::string& name) {
  return std::regex_search(text, std::regex("\\b" + name + R"((\[\w*\])?(\s*=)?\s*\{)"));
}

bool is_seen_to_run(const std::string& text, const ForLoop& loop) {
  static const std::regex number(R"(;[^;]*([<>]=?|!=)\s*(\d|k[A-Z])|=\s*\d+;\s*\w+\s*>\s*0;)");
  static const std::regex range(R"(:\s*([\w:<>,\s*&]*\{|k[A-Z]\w*$|(\w+)$))");
  std::smatch match;
  if (std::regex_search(loop.head, number)) return true;
  if (!std::regex_search(loop.head, match, range)) return false;
  return !match[2].matched || fills_table(text, match[2].str());
}

bool may_check_nothing(const std::string& text, Span body) {
  static const std::regex checks(R"(\b(CHECK|REQUIRE|FAIL)(_\w+)?\s*\()");
  const std::vector<ForLoop> loops = loops_in(text, body);
  const std::vector<Span> all = matches(text, body, checks);
  const auto runs = [&](const Span& check) {
    return std::ranges::all_of(loops, [&](const ForLoop& loop) {
      const bool inside = loop.whole.begin < check.begin && check.begin < loop.whole.end;
      return !inside || is_seen_to_run(text, loop);
    });
  };
  return !all.empty() && std::ranges::none_of(all, runs);
}

// "a" "b" -> ab
std::string joined_literals(const std::string& arguments) {
  static const std::regex literal(R"re("((?:\\.|[^"\\])*)")re");
  std::string name;
  for (std::sregex_iterator it(arguments.begin(), arguments.end(), literal), end; it != end; ++it)
    name += (*it)[1].str();
  return name;
}

}  // namespace

std::vector<TestCase> test_cases_of(std::string_view source) {
  static const std::regex opening(R"(\bTEST_CASE\()");
  const std::string text = blank_cpp(source);
  std::vector<TestCase> cases;
  for (const Span& match : matches(text, {0, text.size()}, opening)) {
    const std::size_t name_end = closed(text, match.end - 1);
    const Span body{name_end, statement_end(text, name_end)};
    const auto lines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(match.begin), '\n');
    cases.push_back({joined_literals(std::string(source.substr(match.end, name_end - match.end))),
                     static_cast<std::size_t>(lines) + 1, may_check_nothing(text, body)});
  }
  return cases;
}

}  // namespace rlctl::house
