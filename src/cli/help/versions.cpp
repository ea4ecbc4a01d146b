#include "cli/help/versions.h"

#include <curl/curl.h>
#include <event2/event.h>
#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <luajit.h>
#include <openssl/crypto.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace rlctl {
namespace {

struct Library {
  const char* name;
  std::string built;    // of the headers
  std::string running;  // of the shared library; "" if there is none or it can't be asked
};

std::string dotted(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

// The second word: "OpenSSL 3.0.11 19 Sep 2023", "LuaJIT 2.1.0-beta3".
std::string second_word(const std::string& text) {
  const std::size_t from = text.find(' ') + 1;
  return text.substr(from, text.find(' ', from) - from);
}

std::vector<Library> libraries() {
  return {
      {"hiredis", dotted(HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH), ""},
      {"libevent", LIBEVENT_VERSION, event_get_version()},
      {"libcurl", LIBCURL_VERSION, curl_version_info(CURLVERSION_NOW)->version},
      {"OpenSSL", second_word(OPENSSL_VERSION_TEXT), second_word(OpenSSL_version(OPENSSL_VERSION))},
      {"zlib", ZLIB_VERSION, zlibVersion()},
      {"LuaJIT", second_word(LUAJIT_VERSION), ""},
      {"fmt", dotted(FMT_VERSION / 10'000, FMT_VERSION / 100 % 100, FMT_VERSION % 100), ""},
      {"CLI11", CLI11_VERSION, ""},
      {"nlohmann/json",
       dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
              NLOHMANN_JSON_VERSION_PATCH),
       ""},
  };
}

}  // namespace

std::string versions_text() {
  std::string text = "rlctl " RLCTL_VERSION "\n\n";
  for (const Library& library : libraries()) {
    text += fmt::format("  {:14}{}", library.name, library.built);
    if (!library.running.empty() && library.running != library.built)
      text += fmt::format(" when built, {} now", library.running);
    text += "\n";
  }
  return text;
}

}  // namespace rlctl
