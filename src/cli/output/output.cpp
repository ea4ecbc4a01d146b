#include "cli/output/output.h"

#include <errno.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/wrap.h"
#include "cli/output/verdict_colour.h"

namespace rlctl {

namespace {

// The first write error. It is kept here because stdio drops its buffer after a failed write, so
// the next flush reports no error.
int output_error = 0;

void note_error(bool failed) {
  if (failed && output_error == 0) output_error = errno != 0 ? errno : EIO;
}

std::size_t terminal_columns(int terminal) {
  winsize size{};
  const bool told = ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
  return told ? size.ws_col : 80;
}

}  // namespace

void print(std::string_view text) {
  if (text.empty()) return;  // its pointer may be null
  errno = 0;
  note_error(std::fwrite(text.data(), 1, text.size(), stdout) != text.size());
}

void print_beside(std::string_view file, std::string_view text) {
  if (file != "-" || text.empty()) return print(text);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_json(std::string_view verb, Json body) {
  Json document{{"schema", fmt::format("rlctl.{}/1", verb)}, {"version", RLCTL_VERSION}};
  document.update(body);
  print_json(document);
}

void print_json(const nlohmann::ordered_json& document) {
  print(dump_json(document, stdout_is_terminal() ? 2 : -1) + "\n");
}

void tell(std::string_view message) {
  constexpr std::string_view kName = "rlctl: ";
  std::string text(message);
  if (isatty(STDERR_FILENO) == 1)
    text = wrapped_text(text, terminal_columns(STDERR_FILENO), kName.size());
  else
    text += '\n';
  flush_output();  // both streams may be one file: the message comes behind whole lines
  std::fprintf(stderr, "%.*s%s", static_cast<int>(kName.size()), kName.data(), text.c_str());
}

bool finish_output() {
  if (flush_output() || output_error == EPIPE) return true;
  tell(std::string("can't write to standard output: ") + strerror(output_error));
  return false;
}

bool flush_output() {
  errno = 0;
  note_error(std::fflush(stdout) != 0);
  return output_error == 0;
}

bool colour_is_wanted() {
  const char* unwanted = getenv("NO_COLOR");
  return unwanted == nullptr || *unwanted == '\0';
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

std::size_t stdout_columns() { return terminal_columns(STDOUT_FILENO); }

std::size_t columns_or(std::size_t piped) {
  return stdout_is_terminal() ? stdout_columns() : piped;
}

std::string coloured(std::string_view text) {
  const char* terminal = getenv("TERM");
  const bool dumb = terminal == nullptr || strcmp(terminal, "dumb") == 0;
  if (!stdout_is_terminal() || dumb || !colour_is_wanted()) return std::string(text);
  return with_coloured_verdicts(text);
}

std::string fitted(std::string_view text) {
  if (!stdout_is_terminal()) return std::string(text);
  return coloured(wrapped_text(text, stdout_columns()));
}

bool stderr_is_terminal() {
  const char* terminal = getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && strcmp(terminal, "dumb") != 0;
}

}  // namespace rlctl
