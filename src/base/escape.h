// Everything read from outside (keys, members, error replies, arguments, files) is escaped wherever
// it is shown, so that a key's name cannot control a terminal, a log, a spreadsheet or a report
// (CWE-150). Pure; only unescape and from_base64 can fail: they return an empty optional.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace rlctl {

// Printable UTF-8 stays. C0 (CR, LF and TAB too), DEL, C1 (as characters and as raw bytes), bidi
// controls, invisible characters, noncharacters, the backslash and bytes that are not UTF-8 become
// \xNN per byte. There is no other escape. The result is valid UTF-8 on one line, and reversible.
std::string escape_for_terminal(std::string_view bytes);

// A command line, whose words have backslashes of their own (shell_word): the same, but these stay.
// Not reversible; what is escaped already stays as it is.
std::string escape_command(std::string_view line);

// The bytes that were escaped; empty if `text` has a backslash that does not start a \xNN.
std::optional<std::string> unescape(std::string_view text);

// 'text' escaped and in quotes, for messages; cut after `most` bytes, with "..." after the quote.
std::string in_quotes(std::string_view bytes, std::size_t most = 80);

// Text and attributes of XML: characters that XML cannot hold become \xNN; `lines` keeps line
// ends.
std::string xml_escape(std::string_view bytes, bool lines = false);

// A cell that is safe to open in a spreadsheet (OWASP, "CSV Injection"), and the text again.
std::string protected_cell(std::string_view text);
std::string_view unprotected_cell(std::string_view cell);

// The word of a command line, printable and in quotes if a shell would change it: it's ->
// 'it'\''s'; with what a terminal must not get, $'...', which bash and zsh read.
std::string shell_word(std::string_view word);

// What is shown of texts that may hold secrets: mistakes, logs, reports and lists of processes are
// read by others. A secret becomes "...". A value with words to fill in (template_text.h) is none.

// What stands in the place of a secret of this name.
using ShownSecret = std::function<std::string(std::string_view name)>;
std::string three_dots(std::string_view name);

// The value, unless its name says that it is a credential.
std::string without_secret(std::string_view name, std::string_view value, const ShownSecret& shown);

// A URL, valid or not: without the user and password before its host (their name is `credentials`),
// and without the values of its query whose names say that they are credentials. Other texts stay
// as they are.
std::string without_secrets(std::string_view url, const ShownSecret& shown = three_dots);

// "NAME: VALUE": without its value if the name says that it is a credential.
std::string without_credential(std::string_view header);

// The value of an option of the command line: "--header", "--body", "-a" and "--pass" (a password,
// also as --password and --auth), any other.
std::string shown_value(std::string_view option, std::string_view value);

// A word of the command line, after the word `before`: an option with its value (--pass=1, -a1), or
// the value of the option before it.
std::string shown_word(std::string_view before, std::string_view word);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

// The decoded bytes; empty if `text` is not a result of base64().
std::optional<std::string> from_base64(std::string_view text);

}  // namespace rlctl
