// The texts of a request (URL, headers, body) and the words that may stand in them. This table is
// the only list of them: readers, messages and the README use it. Pure.
//
//   <ip> <user> <n>    the client
//   <request> <uuid>   different in every request
//   <NAME>             a value that a login captured
//   ${NAME}            a variable of the environment; it is never shown
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
#include "policy/identity.h"

namespace rlctl {

enum class RequestWord : std::uint8_t { ip, user, n, request, uuid };

struct RequestWordRow {
  const char* name;
  RequestWord meaning;
  const char* sentence;
};
inline constexpr RequestWordRow kRequestWords[] = {
    {"ip", RequestWord::ip, "the client's address"},
    {"user", RequestWord::user, "the client's name"},
    {"n", RequestWord::n, "the client's number in its group, from 0"},
    {"request", RequestWord::request, "the number of the request in the run, from 1"},
    {"uuid", RequestWord::uuid, "a random UUID, a new one for each request"},
};
constexpr std::span<const RequestWordRow> words_of(RequestWord) { return kRequestWords; }

using CapturedValues = std::vector<std::pair<std::string, std::string>>;

struct RequestValues {
  Identity client;
  std::int64_t request = 1;
  std::string uuid = {};
  const CapturedValues* captured = nullptr;  // those that the text was read with
  std::int64_t cost = 1;
};

// The value of a variable of the environment; empty: it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

class RequestText {
 public:
  RequestText() = default;
  // `captured`: the names of captured values. Throws Error(Exit::usage), which never shows a value,
  // for a word that is not known and for a variable that is not set or empty.
  RequestText(std::string_view text, std::span<const std::string> captured,
              const Environment& environment);

  // `encode` is applied to each word's value, but not to variables, which may hold a whole URL.
  using Encode = std::string (*)(std::string_view);
  std::string filled(const RequestValues& values, Encode encode = nullptr) const;

  // The values of its variables, to keep them out of messages.
  const std::vector<std::string>& secrets() const { return secrets_; }

 private:
  enum class Kind : std::uint8_t { text, word, captured };
  struct Piece {
    Kind kind = Kind::text;
    RequestWord word = RequestWord::ip;
    std::string text;  // or the name of the captured value
  };

  void add_word(std::string_view name, std::span<const std::string> captured);
  void add_variable(std::string_view name, const Environment& environment);

  std::vector<Piece> pieces_;
  std::vector<std::string> secrets_;
};

// Whether a text has a word that differs between clients; between requests of one client.
bool names_client(std::string_view text);
bool names_request(std::string_view text);

// Replaces every secret in a text from outside by ***.
std::string masked(std::string text, const std::vector<std::string>& secrets);

}  // namespace rlctl
