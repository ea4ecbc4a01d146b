// A text written by people, and the messages about its mistakes: file:line:column and the
// underlined line. Pure; never fails. Everything shown is escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

// Where in the file something stands, from 1; 0: nowhere (not from a file).
struct SourcePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Bytes [begin, end) of the text.
struct SourceSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// A mistake in a short text, such as an option or a value of a file. One line each, escaped.
struct TextMistake {
  SourceSpan span;  // bytes of that text
  std::string what;
  std::string hint;
};

// "--policy: what", below it the text with the mistake underlined, and the hint. For options.
std::string describe(std::string_view field, std::string_view text, const TextMistake& mistake);

struct SourceProblem {
  SourceSpan span;
  std::string pointer;  // RFC 6901, of the value; empty: the whole text, or none
  std::string what;     // one line without a final stop; escaped
  std::string hint;     // what to do; may be empty; escaped
};

class SourceText {
 public:
  SourceText(std::string file, std::string text);

  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }
  std::string_view slice(SourceSpan span) const;

  // Columns count characters, as editors do.
  SourcePlace place_of(std::size_t offset) const;

  // "FILE:12:9: /phases/0/for: …" and, below it, the underlined line and the hint. Ends with a
  // newline. Long lines are cut around the place; lines with secrets are not shown.
  std::string describe(const SourceProblem& problem) const;

 private:
  std::size_t line_index_of(std::size_t offset) const;
  std::string_view line_text(std::size_t index) const;
  std::string underlined(SourceSpan span) const;

  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

// Describes at most `most` problems, in the order of the text.
std::string describe_all(const SourceText& source, std::vector<SourceProblem> problems,
                         std::size_t most = 50);

}  // namespace rlctl
