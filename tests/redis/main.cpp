#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <signal.h>

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);  // as rlctl does
  return doctest::Context(argc, argv).run();
}
