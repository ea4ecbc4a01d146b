// The table of verbs, the dispatch, the exit code, and the handling of exceptions.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "cli/command_line.h"
#include "cli/output/output.h"
#include "cli/verb.h"

namespace rlctl {
namespace {

// In the order of help.
const std::array kVerbs{
    &kSimulateVerb, &kRunVerb,     &kBenchVerb, &kCompareVerb, &kVerifyVerb,     &kPlanVerb,
    &kReportVerb,   &kExploreVerb, &kHitVerb,   &kInspectVerb, &kListVerb,       &kWatchVerb,
    &kDoctorVerb,   &kProbeVerb,   &kResetVerb, &kBlockVerb,   &kUnblockVerb,    &kServeVerb,
    &kAlgosVerb,    &kFormatsVerb, &kLoadVerb,  &kSchemaVerb,  &kCompletionVerb, &kManVerb,
    &kVersionVerb,  &kHelpVerb,
};

// Everyone on this machine can read the arguments in the list of processes.
void hide_secrets(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    std::string shown = shown_word(argv[i - 1], word);
    shown.resize(word.size(), ' ');
    std::ranges::copy(shown, argv[i]);
  }
}

Exit run(int argc, char** argv) {
  CommandLine line(kVerbs, {argv, static_cast<std::size_t>(argc)});
  if (const auto ended = line.parse(argc, argv)) return *ended;
  hide_secrets(argc, argv);
  return line.run();
}

Exit report(const Error& error) {
  // What is wrong and where, then what to do.
  tell(with_hint(error.what(), error.hint()));
  return error.exit();
}

void tell_out_of_memory(const char* verb) {
  tell(std::string("out of memory; ") +
       (verb == std::string_view("verify")
            ? "--memory 512M keeps the rest of the log in a temporary file, and --part 1/4 judges "
              "a quarter of the keys"
            : "a smaller log, fewer connections or a shorter run need less"));
}

// If a standard stream is closed, the next opened file would get its number, and the messages. So
// /dev/null is opened in the opposite direction: every use fails with EBADF.
void take_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace
}  // namespace rlctl

int main(int argc, char** argv) {
  using rlctl::Exit;
  rlctl::take_standard_streams();
  // Then writing fails, and says why: EPIPE, EFBIG.
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_IGN);
  Exit exit = Exit::target;
  try {
    exit = rlctl::run(argc, argv);
  } catch (const rlctl::Error& error) {
    exit = rlctl::report(error);
  } catch (const std::bad_alloc&) {
    rlctl::tell_out_of_memory(argc > 1 ? argv[1] : "");
  } catch (const std::exception& problem) {
    rlctl::tell(std::string("internal error: ") + problem.what());
  }
  if (!rlctl::finish_output() && (exit == Exit::done || exit == Exit::violated))
    exit = Exit::report;
  return static_cast<int>(exit);
}
