// Logs for the tests of verify, and a function that runs rlctl verify on them.
#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>

#include "cli/support/process.h"
#include "tools/folder.h"

using rlctl::test::Folder;

inline constexpr long long kStart = 1'700'000'000'000'000;

inline std::string line(long long at_us, const char* outcome, const char* key = "k") {
  return R"({"sent_us":)" + std::to_string(kStart + at_us) + R"(,"received_us":)" +
         std::to_string(kStart + at_us + 10) + R"(,"server_us":null,"outcome":")" + outcome +
         R"(","key":")" + key + "\"}\n";
}

// `allowed` admissions 1 ms apart, then two denials.
inline std::string burst(int allowed, const char* key = "k") {
  std::string text;
  for (int i = 0; i < allowed; ++i) text += line(i * 1'000, "allowed", key);
  for (int i = 0; i < 2; ++i) text += line((allowed + i) * 1'000, "denied", key);
  return text;
}

inline std::string packed(const Folder& folder, const std::string& name, const std::string& text) {
  const std::string path = folder / name;
  gzFile file = gzopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  CHECK(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0);
  CHECK(gzclose(file) == Z_OK);
  return path;
}

inline const Arguments kThree{"--limit", "3", "--window", "1s"};

inline Outcome verify(Arguments arguments, const Arguments& more = {},
                      const std::string& input = {}) {
  arguments.insert(arguments.begin(), "verify");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_rlctl(arguments, input);
}
