// The table of verbs, dispatch, the exit code, and the catch for all that stops a verb.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <new>
#include <string>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/output/output.h"
#include "cli/verb.h"

namespace rlctl {
namespace {

// In the order of help.
const std::array kVerbs{
    &kSimulateVerb, &kRunVerb,     &kBenchVerb,      &kCompareVerb, &kVerifyVerb,
    &kReportVerb,   &kExploreVerb, &kHitVerb,        &kInspectVerb, &kListVerb,
    &kWatchVerb,    &kResetVerb,   &kBlockVerb,      &kUnblockVerb, &kServeVerb,
    &kAlgosVerb,    &kLoadVerb,    &kCompletionVerb, &kManVerb,
};

Exit run(int argc, const char* const* argv) {
  CommandLine line(kVerbs);
  if (const auto ended = line.parse(argc, argv)) return *ended;
  return line.run();
}

Exit report(const Error& error) {
  // One line, so that it can be grepped and read in a log: what and where; what to do.
  tell(error.hint().empty() ? error.what() : error.what() + ("; " + error.hint()));
  return error.exit();
}

// Where one is closed, the next file opened would take its number, and get what is meant for
// people. The wrong way round, so that who writes is told: EBADF.
void take_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace
}  // namespace rlctl

int main(int argc, char** argv) {
  using rlctl::Exit;
  rlctl::take_standard_streams();
  signal(SIGPIPE, SIG_IGN);
  Exit exit = Exit::target;
  try {
    exit = rlctl::run(argc, argv);
  } catch (const rlctl::Error& error) {
    exit = rlctl::report(error);
  } catch (const std::bad_alloc&) {
    rlctl::tell("out of memory: fewer connections, or a shorter time, need less");
  } catch (const std::exception& problem) {
    rlctl::tell(std::string("stopped by a mistake of rlctl's own: ") + problem.what());
  }
  if (!rlctl::finish_output() && (exit == Exit::done || exit == Exit::violated))
    exit = Exit::report;
  return static_cast<int>(exit);
}
