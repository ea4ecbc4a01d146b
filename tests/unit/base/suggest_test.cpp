#include "base/suggest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace rlctl;

namespace {

const std::vector<std::string> kNames = {"fixed",        "fixed-anchored",  "sliding",
                                         "sliding-list", "sliding-counter", "token-bucket",
                                         "leaky-bucket", "leaky-queue",     "gcra"};

}  // namespace

TEST_CASE("a typing mistake is recognized") {
  CHECK(did_you_mean("slidng", kNames) == "did you mean 'sliding'?");
  CHECK(did_you_mean("silding", kNames) == "did you mean 'sliding'?");
  CHECK(did_you_mean("fixd", kNames) == "did you mean 'fixed'?");
  CHECK(did_you_mean("grca", kNames) == "did you mean 'gcra'?");
  CHECK(did_you_mean("GCRA", kNames) == "did you mean 'gcra'?");
  CHECK(did_you_mean("sliding_list", kNames) == "did you mean 'sliding-list'?");
  CHECK(did_you_mean("tokenbucket", kNames) == "did you mean 'token-bucket'?");
}

TEST_CASE("a name cut short is completed, with the shortest") {
  CHECK(did_you_mean("slid", kNames) == "did you mean 'sliding'?");
  CHECK(did_you_mean("sliding-c", kNames) == "did you mean 'sliding-counter'?");
  CHECK(did_you_mean("t", kNames) == "did you mean 'token-bucket'?");
}

TEST_CASE("an unrelated word gets no suggestion") {
  for (const char* word : {"", "x", "kubernetes", "qq", "zzzz"}) {
    CAPTURE(std::string(word));
    CHECK(did_you_mean(word, kNames).empty());
  }
  CHECK(did_you_mean("sliding", {}).empty());
  CHECK(did_you_mean(std::string(100'000, 's'), kNames).empty());
}

TEST_CASE("a suggestion shows its name escaped") {
  const std::vector<std::string> names = {"fix\x1b"};
  CHECK(did_you_mean("fix", names) == "did you mean 'fix\\x1b'?");
}

TEST_CASE("edit distance counts a swap of neighbours as one") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("ab", "ba") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("ca", "abc") == 3);
}

TEST_CASE("a message and what to do are one sentence, whoever wrote the message") {
  CHECK(with_hint("refused", "") == "refused");
  CHECK(with_hint("refused", "try again") == "refused; try again");
  CHECK(with_hint("DENIED in protected mode.", "set a password") ==
        "DENIED in protected mode; set a password");
  CHECK(with_hint("no key 'abc'...", "shorten it") == "no key 'abc'...; shorten it");
}
