#include "policy/rules_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"
#include "policy/per.h"

namespace rlctl {
namespace {

bool is_of_word(char c) { return is_letter(c) || c == '-'; }
// Also what is not ASCII, so that 1µs is one mistake.
bool is_of_value(char c) {
  return is_name_character(c) || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_of_per(char c) { return is_of_value(c) || c == '-' || c == '@' || c == '/'; }

// What rules are called in other words, and how it is written here. The text begins with the words,
// or with their plural; # stands for a digit.
constexpr const char* kSliding = "leave it out: '10/1m' is a sliding window";
constexpr const char* kBucket =
    "write a bucket like 'bucket 20 + 10/1s': 20 at once, 10 more a second";
constexpr const char* kRate =
    "write a rate like '100/1m': a number, '/' and a time with a unit: d, h, m, s, ms or us";
constexpr const char* kUnit =
    "write a number and a unit, as in '100/1m'; the units are d, h, m, s, ms and us";
constexpr const char* kBetween = "write '&' between rules: '20/1m & 3/1s'";
constexpr std::pair<std::string_view, const char*> kForeignWords[] = {
    {"per", kRate},
    {"in #", kRate},
    {"every", kRate},
    {"tps", kRate},
    {"r", kRate},
    {"rps", kRate},
    {"rpm", kRate},
    {"qps", kRate},
    {"req", kRate},
    {"request", kRate},
    {"hit", kRate},
    {"sec", kUnit},
    {"second", kUnit},
    {"min", kUnit},
    {"minute", kUnit},
    {"hour", kUnit},
    {"day", kUnit},
    {"window", kSliding},
    {"in any", kSliding},
    {"of the clock", "write '20/1m fixed' for windows of the clock"},
    {"and", kBetween},
    {",###", "write a number without commas, like 1000/1m"},
    {"sliding", kSliding},
    {"rolling", kSliding},
    {"sliding-window", kSliding},
    {"burst", kBucket},
    {"bucket", kBucket},
    {"token", kBucket},
    {"leaky", kBucket},
    {"token-bucket", kBucket},
    {"gcra", kBucket}};

bool begins_with(std::string_view text, std::string_view words) {
  if (text.size() < words.size()) return false;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == '#' ? !is_digit(text[i]) : text[i] != words[i]) return false;
  text.remove_prefix(words.size());
  if (text.starts_with('s')) text.remove_prefix(1);
  return text.empty() || words.ends_with('#') || !is_of_value(text.front());
}

// The text begins with a foreign word, in any case; empty: with none.
std::string hint_for_foreign(std::string_view written) {
  const std::string text = lower_case(written);
  for (const auto& [foreign, hint] : kForeignWords)
    if (begins_with(text, foreign)) return hint;
  return {};
}

std::string examples() {
  std::string text;
  for (const RuleRow& row : kRuleRows)
    text += std::string(text.empty() ? "" : ", ") + "'" + row.grammar + "'";
  return "a rule is, for example, " + text;
}

// The example of the kind that the text seems to mean.
std::string nearest(std::string_view text, const std::string& otherwise = examples()) {
  for (const RuleRow& row : kRuleRows)
    if (*row.word != 0 && text.find(std::string_view(row.word).substr(0, 3)) != text.npos)
      return fmt::format("write it like '{}'", row.grammar);
  return otherwise;
}

class RulesReader {
 public:
  RulesReader(std::string_view text, TextMistake& mistake, const std::optional<RuleNumbers>& names)
      : text_(text), mistake_(mistake), names_(names) {}

  std::optional<Rules> read() {
    Rules rules;
    if (take_word("none") && at_end()) return rules;
    at_ = 0;
    do {
      Rule rule;
      if (!read_rule(rule)) return std::nullopt;
      if (names_ && rule.block_us == 0 && rule.has_window()) rule.block_us = names_->block_us;
      rules.push_back(rule);
      if (!take('&')) break;
      if (at_end()) {
        stop(rest(), "a rule is missing after '&'", "write one, or leave '&' out");
        return std::nullopt;
      }
    } while (true);
    if (at_end()) return rules;
    const std::string comma = comma_before(rest());
    stop(rest(), "this is not part of a rule", comma.empty() ? nearest(text_) : comma);
    return std::nullopt;
  }

 private:
  bool stop(SourceSpan span, std::string what, std::string hint) {
    mistake_ = {span, std::move(what), std::move(hint)};
    return false;
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  template <typename IsPart>
  SourceSpan take_while(IsPart is_part) {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    return {begin, at_};
  }

  std::string_view slice(SourceSpan span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  std::string hint_at(SourceSpan span, std::string otherwise) const {
    const std::string hint = hint_for_foreign(text_.substr(std::min(span.begin, text_.size())));
    return hint.empty() ? otherwise : hint;
  }

  // The next word, or at least one character, to be underlined.
  SourceSpan rest() const {
    std::size_t end = at_;
    while (end < text_.size() && is_of_value(text_[end])) ++end;
    return {at_, std::max(end, at_ + 1)};
  }

  // Takes the word only if it is the next one.
  bool take_word(std::string_view word) {
    const std::size_t before = at_;
    if (slice(take_while(is_of_word)) == word) return true;
    at_ = before;
    return false;
  }

  bool read_rule(Rule& rule) {
    if (take_leading_word(rule)) {
      if (!read_count(rule.capacity, "the capacity")) return false;
      if (!expect('+', "a bucket has a capacity and a refill")) return false;
      if (!read_rate(rule) || !read_step(rule)) return false;
    } else if (!read_count(rule.limit, "the limit")) {
      return false;
    } else if (!take_windowless(rule) && (!read_window_of(rule) || !read_kind(rule))) {
      return false;
    }
    while (take(','))
      if (!read_modifier(rule)) return false;
    return true;
  }

  // What to write if the word is a modifier; empty: it is none.
  std::string comma_before(SourceSpan word) const {
    if (std::ranges::find(modifiers(), slice(word), &Modifier::word) == modifiers().end())
      return {};
    const std::string before(trimmed(text_.substr(0, word.begin)));
    return "write a comma before it: " +
           escape_for_terminal(before + ", " + std::string(text_.substr(word.begin)));
  }

  bool expect(char c, const char* what) {
    return take(c) || stop(rest(), what, hint_at(rest(), nearest(text_)));
  }

  bool read_rate(Rule& rule) { return read_count(rule.limit, "the limit") && read_window_of(rule); }

  bool read_window_of(Rule& rule) {
    return expect('/', "the limit has no window") && read_window(rule.window_us);
  }

  // "in flight", after the limit.
  bool take_windowless(Rule& rule) {
    for (const RuleRow& row : kRuleRows)
      if (!row.takes_window && take_words(row.word)) return rule.kind = row.meaning, true;
    return false;
  }

  bool take_words(std::string_view words) {
    const std::size_t before = at_;
    while (!words.empty())
      if (!take_word(take_until(words, ' '))) return at_ = before, false;
    return true;
  }

  // A bucket that is refilled at once, every so often.
  bool read_step(Rule& rule) {
    if (!take_word("by")) return true;
    const bool has_steps = take_words("steps of");
    skip_blanks();
    if (!has_steps) return stop(rest(), "'by' without 'steps of'", kSteps);
    const std::size_t begin = at_;
    if (!read_window(rule.step_us)) return false;
    return rule.has_whole_steps() ||
           stop({begin, at_}, "a step does not refill a whole number", kSteps);
  }

  bool read_count(std::int64_t& value, const char* what) {
    const SourceSpan span = take_while(is_of_value);
    const std::string_view written = slice(span);
    if (names_ && written == "limit") return value = names_->limit, true;
    if (names_ && written == "capacity") return value = names_->capacity, true;
    if (written.empty() || !std::ranges::all_of(written, is_digit)) {
      const bool has_unit =
          !written.empty() && is_digit(written.front()) && is_letter(written.back());
      return stop(written.empty() ? rest() : span, std::string(what) + " is not a whole number",
                  has_unit ? nearest(text_, kRate) : nearest(text_));
    }
    return read_value(span, [&] { value = parse_count(written, what, 0); }) &&
           (value <= kMostCapacity ||
            stop(span, std::string(what) + " is more than Lua can count exactly",
                 "the maximum is 2^53"));
  }

  bool read_window(std::int64_t& window_us) {
    const SourceSpan span = take_while(is_of_value);
    const std::string_view written = slice(span);
    if (names_ && written == "window") return window_us = names_->window_us, true;
    if (written.empty()) return stop(rest(), "the window is missing", "for example 100/1m");
    return read_value(span, [&] { window_us = parse_period_us(written, "the window"); });
  }

  template <typename Parse>
  bool read_value(SourceSpan span, Parse parse) {
    try {
      parse();
      return true;
    } catch (const Error& error) {
      const bool has_number = span.begin == span.end || is_digit(text_[span.begin]);
      return stop(span, error.what(), has_number ? error.hint() : kUnit);
    }
  }

  bool take_leading_word(Rule& rule) {
    for (const RuleRow& row : kRuleRows)
      if (row.takes_capacity && take_word(row.word)) return rule.kind = row.meaning, true;
    return false;
  }

  // After the window.
  bool read_kind(Rule& rule) {
    const SourceSpan span = take_while(is_of_word);
    const std::string_view word = slice(span);
    std::vector<std::string> words;
    for (const RuleRow& row : kRuleRows) {
      if (row.takes_capacity || !row.takes_window) continue;
      if (word == row.word) {
        rule.kind = row.meaning;
        return !row.takes_phase || !take('+') || read_phase(rule);
      }
      if (*row.word != 0) words.emplace_back(row.word);
    }
    std::string hint = comma_before(span);
    if (hint.empty()) hint = hint_at(span, "");
    if (hint.empty()) hint = did_you_mean(word, words);
    if (hint.empty()) hint = "write nothing or " + joined(words, " or ") + " after the window";
    return stop(span, in_quotes(word) + " is not a kind of window", hint);
  }

  bool read_phase(Rule& rule) {
    if (take('?')) return rule.phase_us.reset(), true;
    const SourceSpan span = take_while(is_of_value);
    return read_value(span, [&] { rule.phase_us = parse_duration_us(slice(span), "the phase"); });
  }

  enum class Of : std::uint8_t { all, leases, others };  // kinds of rules
  struct Modifier {
    std::string_view word;
    bool (RulesReader::*read)(Rule& rule);  // what comes after the word
    Of of;
  };

  static std::span<const Modifier> modifiers() {
    static constexpr Modifier kAll[] = {{"per", &RulesReader::read_per, Of::all},
                                        {"lease", &RulesReader::read_lease, Of::leases},
                                        {"denied", &RulesReader::read_denied, Of::others},
                                        {"block", &RulesReader::read_block, Of::others}};
    return kAll;
  }

  bool read_modifier(Rule& rule) {
    const SourceSpan span = take_while(is_of_word);
    const bool leases = rule.row().takes_lease;
    for (const Modifier& modifier : modifiers())
      if (slice(span) == modifier.word && modifier.of != (leases ? Of::others : Of::leases))
        return (this->*modifier.read)(rule);
    const SourceSpan at = span.begin == span.end ? rest() : span;
    const bool is_rule = at.begin < text_.size() && is_digit(text_[at.begin]);
    const std::string own = is_rule ? kBetween : hint_at(at, "");
    if (!own.empty()) return stop(at, "this is not a modifier", own);
    if (!leases) return stop(at, "this is not a modifier", kModifiers);
    return stop(at, "this is not a modifier of such a rule",
                "its modifiers are ', lease 30s' and ', per user'");
  }

  bool read_denied(Rule& rule) {
    if (!take_word("count")) return stop(rest(), "'denied' without 'count'", kModifiers);
    return rule.counts_denied = true;
  }

  bool read_block(Rule& rule) {
    const SourceSpan time = take_while(is_of_value);
    if (names_ && slice(time) == "block") return rule.block_us = names_->block_us, true;
    return read_value(
        time, [&] { rule.block_us = parse_positive_duration_us(slice(time), "the block"); });
  }

  bool read_per(Rule& rule) {
    const SourceSpan span = take_while(is_of_per);
    rule.per = slice(span);
    const std::string problem = problem_of_per(rule.per);
    return problem.empty() || stop(span.begin == span.end ? rest() : span, problem, kPer);
  }

  bool read_lease(Rule& rule) {
    const SourceSpan time = take_while(is_of_value);
    if (names_ && slice(time) == "window") return rule.lease_us = names_->window_us, true;
    return read_value(
        time, [&] { rule.lease_us = parse_positive_duration_us(slice(time), "the lease"); });
  }

  static constexpr const char* kSteps = "write it like 'bucket 20 + 10/1s by steps of 1s'";
  static constexpr const char* kModifiers =
      "the modifiers are ', denied count', ', block 60s' and ', per user'";
  static constexpr const char* kPer = "name what it counts by: ', per user', ', per ip/64'";

  std::string_view text_;
  TextMistake& mistake_;
  const std::optional<RuleNumbers>& names_;
  std::size_t at_ = 0;
};

std::string text_of(const Rule& rule) {
  const RuleRow& row = rule.row();
  std::string text = row.takes_capacity ? fmt::format("{} {} + ", row.word, rule.capacity) : "";
  text += std::to_string(rule.limit);
  if (row.takes_window) text += "/" + format_duration(rule.window_us);
  if (!row.takes_capacity && *row.word != 0) text += std::string(" ") + row.word;
  if (rule.step_us > 0) text += " by steps of " + format_duration(rule.step_us);
  if (rule.has_unknown_phase()) text += "+?";
  if (rule.has_known_phase() && *rule.phase_us != 0) text += "+" + format_duration(*rule.phase_us);
  if (rule.lease_us > 0) text += ", lease " + format_duration(rule.lease_us);
  if (rule.counts_denied) text += ", denied count";
  if (rule.block_us > 0) text += ", block " + format_duration(rule.block_us);
  if (!rule.per.empty()) text += ", per " + rule.per;
  return text;
}

}  // namespace

std::optional<Rules> read_rules(std::string_view text, TextMistake& mistake,
                                const std::optional<RuleNumbers>& names) {
  return RulesReader(text, mistake, names).read();
}

Rules parse_rules(std::string_view text, const std::string& field,
                  const std::optional<RuleNumbers>& names) {
  TextMistake mistake;
  if (auto rules = read_rules(text, mistake, names)) return *rules;
  throw Error(Exit::usage, describe(field, text, mistake));
}

std::optional<Error> unusable(const Rule& rule) {
  if (rule.limit < 1 || rule.most_at_once() < 1)
    return Error(Exit::usage, "a limit of 0 admits nothing", "use at least 1");
  if (!rule.has_window())
    return rule.block_us == 0
               ? std::nullopt
               : std::optional(Error(Exit::usage, "a rule without a window has no block",
                                     "leave the block out"));
  if (rule.window_us < kShortestWindowUs)
    return Error(Exit::usage, "the shortest window is 1ms",
                 "Redis expires keys in whole milliseconds");
  // Buckets keep limit × window in a Lua number, which is exact below 2^53.
  if (rule.limit > kMostCapacity / rule.window_us)
    return Error(Exit::usage,
                 fmt::format("{} per {} is more than Lua can count exactly",
                             format_count(rule.limit), format_duration(rule.window_us)),
                 "use a shorter window: limit × window in µs must be at most 2^53");
  return std::nullopt;
}

std::string rules_text(const Rules& rules) {
  std::string text;
  for (const Rule& rule : rules) text += (text.empty() ? "" : " & ") + text_of(rule);
  return text;
}

}  // namespace rlctl
