// rlctl, killed as by the system while it writes a log.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "cli/support/process.h"

// Kills rlctl with these arguments, a log among them, as soon as LOG.partial has more than so many
// records, and checks that verify judges that file and says that it was cut.
inline void check_killed_run(const Arguments& arguments, const std::string& log,
                             const std::string& records) {
  const std::string kill =
      "rlctl=$0 log=$1 records=$2; shift 2\n"
      "\"$rlctl\" \"$@\" --quiet --log \"$log\" &\n"
      "until [ \"$(grep -c sent_us \"$log.partial\" 2>/dev/null)\" -gt \"$records\" ] 2>/dev/null\n"
      "do kill -0 $! || exit 1; sleep 0.05; done\n"
      "kill -9 $!; wait $!; test $? = 137";
  Arguments shell{"-c", kill, RLCTL_BINARY, log, records};
  shell.insert(shell.end(), arguments.begin(), arguments.end());
  CHECK(run_program("sh", shell).exit == 0);
  CHECK_FALSE(std::filesystem::exists(log));
  const Outcome verdict = run_rlctl({"verify", log + ".partial"});
  INFO(verdict.err);
  CHECK(verdict.exit == 4);
  CHECK(contains(verdict.out, "the log was cut: it ends after"));
}
