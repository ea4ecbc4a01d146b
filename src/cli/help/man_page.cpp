#include "cli/help/man_page.h"

#include <fmt/format.h>

#include <utility>

#include "base/utf8.h"
#include "cli/help/help_text.h"

namespace rlctl {
namespace {

// What roff would take for a request or an escape; a dash is what one types, no hyphen.
std::string escaped(const std::string& text) {
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
  return ".PP\n.nf\n" + escaped(lines) + "\n.fi\n";
}

// "name   what it is": the name, and what is behind the gap.
std::pair<std::string, std::string> columns_of(const std::string& line) {
  const std::size_t gap = line.find("  ");
  const std::size_t text = line.find_first_not_of(' ', gap);
  if (gap == line.npos || text == line.npos) return {"", line};
  return {line.substr(0, gap), line.substr(text)};
}

// Lines of the text stay lines: lists of words and patterns.
std::string paragraph(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto [name, meaning] = columns_of(text.substr(at, end - at));
    if (!name.empty())
      out += ".RS\n.TP 16\n" + escaped(name) + "\n" + escaped(meaning) + "\n.RE\n";
    else
      out += (at > 0 ? ".br\n" : "") + escaped(meaning) + "\n";
    at = end + 1;
  }
  return out;
}

std::string entry(const Parameter& parameter) {
  return ".TP\n.B " + escaped(shown(parameter)) + "\n" + paragraph(full_help(parameter));
}

std::string section(const VerbPage& verb) {
  std::string text = ".SS " + escaped(verb.name) + "\n.B " + escaped(synopsis(verb)) + "\n.PP\n";
  text += paragraph(verb.summary) + example_block(verb.examples);
  for (const Parameter& argument : verb.arguments) text += entry(argument);
  for (const std::string& group : groups_of(verb.options)) {
    if (group != verb.options.front().group) text += ".PP\n.I " + escaped(group) + ":\n";
    for (const Parameter& option : verb.options)
      if (option.group == group) text += entry(option);
  }
  return text;
}

constexpr const char* kEnvironment = R"(.SH ENVIRONMENT
.TP
.B REDISCLI_AUTH
The password, where neither the URL nor \-\-pass\-file gives one. It is never shown.
.TP
.B TERM
With "dumb" there is no progress line.
.SH FILES
.TP
.I /usr/share/rlctl/scenarios
What must hold and what must be caught: scenarios to run, and to start one's own from.
.TP
.I /usr/share/rlctl/scenarios/scenario.schema.json
The schema of scenario files, for editors.
.TP
.I /usr/share/rlctl/lua
The algorithms, as they are in the program; specimens/ holds the flawed ones that people publish.
.TP
.I /usr/share/doc/rlctl/README.md
The manual, a screen a topic.
.SH SEE ALSO
.BR redis\-server (1),
.BR redis\-cli (1)
)";

}  // namespace

std::string man_page(const CommandTable& table, const std::string& version) {
  std::string text = fmt::format(".TH RLCTL 1 \"\" \"rlctl {}\" \"User Commands\"\n", version);
  // Neither hyphenated nor spread out: commands are read, and copied, as they stand.
  text += ".nh\n.ad l\n.SH NAME\nrlctl \\- proves that a rate limiter holds\n";
  text += ".SH SYNOPSIS\n.B rlctl\nVERB [OPTIONS] ...\n.SH DESCRIPTION\n";
  text +=
      "Plays the traffic that breaks limiters against a real Redis or any HTTP endpoint,\n"
      "records every decision with its times, and judges each of them: a proof, or the\n"
      "records that refute it. Data goes to standard output, messages to standard error.\n";
  text += ".SH OPTIONS\n";
  for (const Parameter& option : table.options) text += entry(option);
  text += ".SH VERBS\n";
  for (const VerbPage& verb : table.verbs) text += section(verb);
  text += ".SH EXIT STATUS\n";
  for (const ExitCode& code : exit_codes())
    text += fmt::format(".TP\n.B {}\n{}\n", code.code, escaped(code.meaning));
  return text + kEnvironment;
}

}  // namespace rlctl
