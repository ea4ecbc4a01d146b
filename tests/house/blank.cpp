#include <cctype>

#include "house/source_scan.h"

namespace rlctl::house {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Copies the source token by token: either unchanged, or blanked with its newlines.
class Blanker {
 public:
  explicit Blanker(std::string_view source) : source_(source) {}

  std::string cpp() {
    while (at_ < source_.size()) {
      if (starts("//")) {
        blank_until("\n");
      } else if (starts("/*")) {
        blank_through("*/", 2);
      } else if (source_[at_] == '#' && line_is_blank_so_far()) {
        blank_directive();
      } else if (source_[at_] == '"' || source_[at_] == '\'') {
        blank_literal(source_[at_]);
      } else if (is_digit(source_[at_])) {
        keep_while([](char c) { return is_word(c) || c == '\'' || c == '.'; });
      } else if (is_word(source_[at_])) {
        keep_word_and_raw_string();
      } else {
        keep(1);
      }
    }
    return out_;
  }

  std::string lua() {
    while (at_ < source_.size()) {
      if (starts("--")) {
        blank(2);
        if (!blank_long_bracket()) blank_until("\n");
      } else if (source_[at_] == '"' || source_[at_] == '\'') {
        blank_literal(source_[at_]);
      } else if (!blank_long_bracket()) {
        keep(1);
      }
    }
    return out_;
  }

 private:
  bool starts(std::string_view text) const { return source_.substr(at_, text.size()) == text; }

  void keep(std::size_t n) {
    out_ += source_.substr(at_, n);
    at_ += n;
  }

  template <class Predicate>
  void keep_while(Predicate predicate) {
    while (at_ < source_.size() && predicate(source_[at_])) keep(1);
  }

  void blank(std::size_t n) {
    for (; n > 0 && at_ < source_.size(); --n, ++at_) out_ += source_[at_] == '\n' ? '\n' : ' ';
  }

  void blank_until(std::string_view end) {
    const std::size_t found = source_.find(end, at_);
    blank(found == std::string_view::npos ? source_.size() : found - at_);
  }

  void blank_through(std::string_view end, std::size_t opening) {
    blank(opening);
    blank_until(end);
    blank(end.size());
  }

  bool line_is_blank_so_far() const {
    const std::size_t newline = out_.find_last_of('\n');
    const std::size_t first = newline == std::string::npos ? 0 : newline + 1;
    return out_.find_first_not_of(" \t", first) == std::string::npos;
  }

  void blank_directive() {
    for (bool escaped = false; at_ < source_.size(); blank(1)) {
      if (source_[at_] == '\n' && !escaped) return;
      escaped = source_[at_] == '\\';
    }
  }

  // Both quotes are kept, as double quotes.
  void blank_literal(char quote) {
    out_ += '"';
    ++at_;
    while (at_ < source_.size() && source_[at_] != quote) blank(source_[at_] == '\\' ? 2 : 1);
    if (at_ < source_.size()) out_ += '"';
    ++at_;
  }

  void keep_word_and_raw_string() {
    const std::size_t first = at_;
    keep_while(is_word);
    const std::string_view word = source_.substr(first, at_ - first);
    if (word.back() != 'R' || word.size() > 3 || !starts("\"")) return;
    const std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) return;
    const std::string delimiter(source_.substr(at_ + 1, open - at_ - 1));
    blank_through(")" + delimiter + "\"", open - at_ + 1);
  }

  // [[ … ]] or [==[ … ]==]; false if none opens here.
  bool blank_long_bracket() {
    if (at_ >= source_.size() || source_[at_] != '[') return false;
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] == '=') ++end;
    if (end >= source_.size() || source_[end] != '[') return false;
    const std::string level(source_.substr(at_ + 1, end - at_ - 1));
    blank_through("]" + level + "]", end - at_ + 1);
    return true;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string blank_cpp(std::string_view source) { return Blanker(source).cpp(); }
std::string blank_lua(std::string_view source) { return Blanker(source).lua(); }

}  // namespace rlctl::house
