#include "limiter/lua/pattern_bound.h"

#include <algorithm>
#include <cmath>

namespace rlctl {
namespace {

// What of a pattern costs time.
struct PatternCosts {
  int repetitions = 0;
  int optionals = 0;          // `?`
  bool scans = false;         // %b, or a part of the text again (%1): as long as the text each
  std::size_t set_bytes = 1;  // of the longest [set], which is compared byte by byte
};

class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : rest_(pattern) {}

  PatternCosts read() {
    while (!rest_.empty()) {
      const char first = take();
      if (first == '(' || first == ')') continue;
      if (first == '%') take_escaped();
      if (first == '[') take_set();
      take_quantifier();
    }
    return costs_;
  }

 private:
  char take() {
    if (rest_.empty()) return '\0';
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return first;
  }

  void take_escaped() {
    const char kind = take();
    costs_.scans |= kind == 'b' || (kind >= '0' && kind <= '9');
    if (kind == 'b') rest_.remove_prefix(std::min<std::size_t>(2, rest_.size()));
    if (kind == 'f' && rest_.starts_with('[')) {
      take();
      take_set();
    }
  }

  // After its `[`. A `]` that comes first belongs to it.
  void take_set() {
    const std::size_t before = rest_.size();
    if (rest_.starts_with('^')) take();
    do {
      if (take() == '%') take();
    } while (!rest_.empty() && !rest_.starts_with(']'));
    take();
    costs_.set_bytes = std::max(costs_.set_bytes, before - rest_.size());
  }

  // One at the end of the pattern is never tried with another length.
  void take_quantifier() {
    if (rest_.empty() || std::string_view("*+-?").find(rest_.front()) == std::string_view::npos)
      return;
    const bool is_optional = take() == '?';
    if (rest_.find_first_not_of(')') == std::string_view::npos) return;
    ++(is_optional ? costs_.optionals : costs_.repetitions);
  }

  std::string_view rest_;
  PatternCosts costs_;
};

// In how many ways so many ends can be placed, in their order, among so many bytes.
double placements(int ends, double bytes) {
  double ways = 1;
  for (int i = 1; i <= ends; ++i) ways *= (bytes + i) / i;
  return ways;
}

}  // namespace

double most_match_steps(std::string_view pattern, std::size_t text_bytes) {
  const bool is_anchored = pattern.starts_with('^');
  const PatternCosts costs = PatternReader(pattern.substr(is_anchored ? 1 : 0)).read();
  const auto bytes = static_cast<double>(text_bytes);
  const double ways = placements(costs.repetitions + (is_anchored ? 0 : 1), bytes) *
                      std::exp2(costs.optionals) * (costs.scans ? bytes + 1 : 1);
  return (ways + bytes) * static_cast<double>(costs.set_bytes);
}

}  // namespace rlctl
