// The man page, checked with the programs that show it.
#include <doctest/doctest.h>

#include "cli/support/process.h"

namespace {

std::string page() {
  const Outcome man = run_rlctl({"man"});
  CHECK(man.exit == 0);
  CHECK(man.err.empty());
  return man.out;
}

}  // namespace

TEST_CASE("groff reports no warning for the man page") {
  const Outcome groff = run_program("groff", {"-man", "-ww", "-z", "-Tutf8", "-rLL=78n"}, page());
  CHECK(groff.exit == 0);
  CHECK(groff.err == "");
}

TEST_CASE("the man page shows every verb's options as the user types them") {
  const Outcome shown = run_program("groff", {"-man", "-Tascii", "-P-cbou", "-rLL=78n"}, page());
  CHECK(shown.exit == 0);
  CHECK(contains(shown.out, "rlctl - proves that a rate limiter holds"));
  CHECK(contains(shown.out, "rlctl simulate [OPTIONS] PATTERN"));
  CHECK(contains(shown.out, "-H, --header 'NAME: VALUE'"));
  CHECK(contains(shown.out, "--clock wall|virtual"));
  CHECK(contains(shown.out, "double-click    two requests 120 ms apart"));
  CHECK(contains(shown.out, "/usr/share/rlctl/scenarios"));
  CHECK(contains(shown.out, "  130"));
}
