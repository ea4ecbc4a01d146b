#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "cli/output.h"

namespace rlctl {
namespace {

constexpr std::int64_t kIntervalUs = 200'000;

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

Progress::Progress(Loop& loop, bool wanted, std::function<std::string()> line)
    : line_(std::move(line)) {
  if (wanted && stderr_is_terminal()) ticker_.emplace(loop, kIntervalUs, [this] { draw(); });
}

Progress::~Progress() {
  if (ticker_) std::fputs("\r\x1b[K", stderr);
}

void Progress::draw() const {
  const std::string line = line_().substr(0, terminal_columns() - 1);
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
}

}  // namespace rlctl
