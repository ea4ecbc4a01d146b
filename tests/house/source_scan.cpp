#include "house/source_scan.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

namespace rlctl::house {
namespace {

enum class Scope { declarations, initializer, body };

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Replaces each run of blanks with one, and removes those at both ends.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_blank(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// The text outside parentheses and template arguments: the brackets stay, their contents are
// removed. Text after a '=' at the top level is cut off.
std::string top_level(std::string_view head) {
  std::string out;
  int parens = 0;
  int angles = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    const char c = head[i];
    const bool arrow = c == '>' && i > 0 && head[i - 1] == '-';
    if (c == ')') --parens;
    if (parens == 0 && c == '>' && !arrow && angles > 0) --angles;
    if (parens == 0 && angles == 0) out += c;
    if (parens == 0 && angles == 0 && c == '=') break;
    if (parens == 0 && c == '<') ++angles;
    if (c == '(') ++parens;
  }
  return out;
}

// "template <class T> class [[nodiscard]] alignas(8) X" -> "class X"; operators lose their signs.
std::string plain_head(std::string_view head) {
  static const std::regex operators(R"(operator\s*(\(\)|\[\]|[-+*/%^&|~!=<>,]+))");
  static const std::regex decorations(
      R"(\[\[[^\]]*\]\]|alignas\s*\([^)]*\)|\b(typedef|static|const|constexpr|inline|friend)\b)");
  static const std::regex templates(R"(template ?<>)");
  std::string plain = std::regex_replace(squeezed(head), operators, "operator_");
  plain = top_level(std::regex_replace(plain, decorations, ""));
  return squeezed(std::regex_replace(plain, templates, ""));
}

// Whether the brace after this text opens the body of a lambda: "[x](int y) mutable -> int", "[&]".
bool opens_lambda(std::string_view head) {
  const std::string text = squeezed(head);
  if (text.empty()) return false;
  if (text.back() == ')' || text.ends_with("mutable") || text.ends_with("noexcept")) return true;
  if (text.back() == ']') {
    const std::size_t open = text.rfind('[');
    if (open == std::string::npos || open == 0) return true;
    const char before = text[open - 1];
    return !is_word(before) && before != ')' && before != ']';
  }
  const std::size_t arrow = text.rfind("->");
  const std::size_t close = text.rfind(')');
  return arrow != std::string::npos && close != std::string::npos && arrow > close;
}

// "X::X(int a) : a_" before "{a}": a member's initialiser, not the body.
bool opens_member(const std::string& plain) {
  const std::string behind =
      std::regex_replace(plain.substr(plain.find(')')), std::regex("::"), "__");
  return behind.find(':') != std::string::npos && (is_word(plain.back()) || plain.back() == '>');
}

Scope scope_of(std::string_view head) {
  static const std::regex spaces(R"(^(namespace\b|extern " *"$))");
  static const std::regex classes(R"(^(class|struct|union)\b)");
  const std::string plain = plain_head(head);
  if (std::regex_search(plain, spaces)) return Scope::declarations;
  if (plain.starts_with("enum")) return Scope::initializer;
  if (plain.ends_with("=")) return opens_lambda(head) ? Scope::body : Scope::initializer;
  if (plain.find(')') == std::string::npos)
    return std::regex_search(plain, classes) ? Scope::declarations : Scope::initializer;
  return opens_member(plain) ? Scope::initializer : Scope::body;
}

// Walks over blanked code. It keeps the text since the end of the last declaration (the head).
class BraceWalk {
 public:
  explicit BraceWalk(std::string code) : code_(std::move(code)) {}

  Scan scan() {
    for (const char c : code_) {
      if (c == '{') {
        open();
      } else if (c == '}') {
        close();
      } else if (scope_ != Scope::body) {
        read(c);
      }
      if (c == '\n') ++line_;
    }
    scan_.balanced = scan_.balanced && outer_.empty() && parens_ == 0;
    return std::move(scan_);
  }

 private:
  struct Outer {
    Scope scope;
    std::string head;
    std::size_t head_line;
    int parens;
  };

  void read(char c) {
    if (head_.empty() && is_blank(c)) return;
    if (head_.empty()) head_line_ = line_;
    head_ += c;
    if (c == '(') ++parens_;
    if (c == ')') --parens_;
    if (scope_ != Scope::declarations || parens_ != 0) return;
    if (c == ';' || (c == ':' && is_access_label())) head_.clear();
  }

  bool is_access_label() const {
    const std::string label = squeezed(head_);
    return label == "public:" || label == "private:" || label == "protected:";
  }

  void open() {
    if (head_.empty()) head_line_ = line_;
    Scope inner = Scope::body;
    if (scope_ == Scope::initializer || (scope_ == Scope::declarations && parens_ > 0)) {
      inner = opens_lambda(last_element()) ? Scope::body : Scope::initializer;
    } else if (scope_ == Scope::declarations) {
      inner = scope_of(head_);
    }
    outer_.push_back({scope_, std::move(head_), head_line_, parens_});
    scope_ = inner;
    head_.clear();
    parens_ = 0;
  }

  // The part of an initialiser's text after its earlier braces: "{}, [](int x)" -> ", [](int x)".
  std::string_view last_element() const {
    const std::size_t braces = head_.rfind("{}");
    return std::string_view(head_).substr(braces == std::string::npos ? 0 : braces + 2);
  }

  void close() {
    if (outer_.empty() || parens_ != 0) scan_.balanced = false;
    if (outer_.empty()) return;
    Outer outer = std::move(outer_.back());
    outer_.pop_back();
    const bool ends_function = scope_ == Scope::body && outer.scope != Scope::body;
    const bool is_part = outer.parens > 0 || outer.scope == Scope::initializer ||
                         plain_head(outer.head).ends_with("=");
    const bool complete = scope_ == Scope::declarations || (ends_function && !is_part);
    if (ends_function) add_function(outer);
    scope_ = outer.scope;
    parens_ = outer.parens;
    head_line_ = outer.head_line;
    head_ = complete ? std::string() : std::move(outer.head) + "{}";
  }

  void add_function(const Outer& outer) {
    scan_.functions.push_back(
        {squeezed(outer.head).substr(0, 70), outer.head_line, line_ - outer.head_line + 1});
  }

  std::string code_;
  Scan scan_;
  std::vector<Outer> outer_;
  Scope scope_ = Scope::declarations;
  std::string head_;
  std::size_t head_line_ = 1;
  std::size_t line_ = 1;
  int parens_ = 0;
};

}  // namespace

Scan scan_cpp(std::string_view source) { return BraceWalk(blank_cpp(source)).scan(); }

Scan scan_lua(std::string_view source) {
  static const std::regex words(R"(\n|[A-Za-z_]\w*)");
  const std::string code = blank_lua(source);
  std::vector<std::pair<std::string, std::size_t>> open;  // the word, and its line
  Scan scan;
  std::size_t line = 1;
  for (std::sregex_iterator it(code.begin(), code.end(), words), end; it != end; ++it) {
    const std::string word = it->str();
    if (word == "\n") ++line;
    if (word == "function" || word == "if" || word == "do" || word == "repeat")
      open.emplace_back(word, line);
    if (word != "end" && word != "until") continue;
    if (open.empty() || (word == "until") != (open.back().first == "repeat")) {
      scan.balanced = false;
      return scan;
    }
    const auto [opener, first] = open.back();
    open.pop_back();
    if (opener == "function") scan.functions.push_back({"function", first, line - first + 1});
  }
  scan.balanced = open.empty();
  return scan;
}

}  // namespace rlctl::house
