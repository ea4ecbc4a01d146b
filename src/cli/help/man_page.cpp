#include "cli/help/man_page.h"

#include <fmt/format.h>

#include <utility>

#include "base/utf8.h"
#include "cli/help/help_text.h"

namespace rlctl {
namespace {

// Escapes what roff would read as a request or an escape. A dash stays a typed dash, because roff
// would print a hyphen.
std::string roff_escaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(std::string_view(text).substr(at));
    const char byte = text[at];
    const bool line_begins = at == 0 || text[at - 1] == '\n';
    if (line_begins && (byte == '.' || byte == '\'')) out += "\\&";
    if (byte == '\\')
      out += "\\e";
    else if (byte == '-')
      out += "\\-";
    else if (byte == '\'')
      out += "\\(aq";
    else if (byte == '`')
      out += "\\(ga";
    else if (byte == '~')
      out += "\\(ti";
    else if (byte == '^')
      out += "\\(ha";
    else if (character.length > 1)
      out += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(character.code));
    else
      out += byte;
    at += character.length;
  }
  return out;
}

std::string example_block(const std::string& lines) {
  return ".PP\n.nf\n" + roff_escaped(lines) + "\n.fi\n";
}

// Splits "name   text" at the gap; without a gap the name is empty.
std::pair<std::string, std::string> columns_of(const std::string& line) {
  const std::size_t gap = line.find("  ");
  const std::size_t text = line.find_first_not_of(' ', gap);
  if (gap == line.npos || text == line.npos) return {"", line};
  return {line.substr(0, gap), line.substr(text)};
}

// Keeps the line breaks of lists of words and patterns.
std::string paragraph(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto [name, meaning] = columns_of(text.substr(at, end - at));
    if (!name.empty())
      out += ".RS\n.TP 16\n" + roff_escaped(name) + "\n" + roff_escaped(meaning) + "\n.RE\n";
    else
      out += (at > 0 ? ".br\n" : "") + roff_escaped(meaning) + "\n";
    at = end + 1;
  }
  return out;
}

std::string roff_entry(const Parameter& parameter) {
  return ".TP\n.B " + roff_escaped(shown(parameter)) + "\n" + paragraph(full_help(parameter));
}

std::string section(const VerbPage& verb) {
  std::string text =
      ".SS " + roff_escaped(verb.name) + "\n.B " + roff_escaped(synopsis(verb)) + "\n.PP\n";
  text += paragraph(verb.summary) + example_block(verb.examples);
  for (const Parameter& argument : verb.arguments) text += roff_entry(argument);
  for (const std::string& group : groups_of(verb.options)) {
    if (group != verb.options.front().group) text += ".PP\n.I " + roff_escaped(group) + ":\n";
    for (const Parameter& option : verb.options)
      if (option.group == group) text += roff_entry(option);
  }
  return text;
}

constexpr const char* kEnvironment = R"(.SH ENVIRONMENT
.TP
.B REDISCLI_AUTH
The password, if neither the URL nor \-\-pass\-file gives one. It is never shown.
.TP
.B TERM
If it is "dumb", no progress line is shown.
.SH FILES
.TP
.I /usr/share/rlctl/scenarios
Scenarios of limiters that must hold and of flaws that must be found. Run them, or copy them.
.TP
.I /usr/share/rlctl/scenarios/scenario.schema.json
The schema of scenario files, for editors.
.TP
.I /usr/share/rlctl/lua
The algorithms that are built into the program; specimens/ has published limiters with flaws.
.TP
.I /usr/share/doc/rlctl/README.md
The manual.
.SH SEE ALSO
.BR redis\-server (1),
.BR redis\-cli (1)
)";

}  // namespace

std::string man_page(const CommandTable& table, const std::string& version) {
  std::string text = fmt::format(".TH RLCTL 1 \"\" \"rlctl {}\" \"User Commands\"\n", version);
  // No hyphenation and no justification, so that commands can be read and copied as they are.
  text += ".nh\n.ad l\n.SH NAME\nrlctl \\- proves that a rate limiter holds\n";
  text += ".SH SYNOPSIS\n.B rlctl\nVERB [OPTIONS] ...\n.SH DESCRIPTION\n";
  text +=
      "Plays traffic that breaks rate limiters against a real Redis or any HTTP endpoint,\n"
      "records every decision with its times, and judges each decision. The result is a\n"
      "proof that the limiter holds, or the records that show a violation.\n"
      "Data goes to standard output, messages to standard error.\n";
  text += ".SH OPTIONS\n";
  for (const Parameter& option : table.options) text += roff_entry(option);
  text += ".SH VERBS\n";
  for (const VerbPage& verb : table.verbs) text += section(verb);
  text += ".SH EXIT STATUS\n";
  for (const ExitCode& code : exit_codes())
    text += fmt::format(".TP\n.B {}\n{}\n", code.code, roff_escaped(code.meaning));
  return text + kEnvironment;
}

}  // namespace rlctl
