#include "io/redis/reply.h"

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostElements = 12;
constexpr int kMostDepth = 4;

std::string words_at(const Reply& reply, int depth) {
  switch (reply.type) {
    case Reply::Type::nil:
      return "nil";
    case Reply::Type::integer:
      return std::to_string(reply.integer);
    case Reply::Type::string:
      return in_quotes(reply.text);
    case Reply::Type::status:
    case Reply::Type::error:
      return escape_for_terminal(reply.text);
    case Reply::Type::array:
      break;
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(reply.elements.size(), kMostElements); ++i)
    words.push_back(depth < kMostDepth ? words_at(reply.elements[i], depth + 1) : "…");
  if (reply.elements.size() > kMostElements) words.emplace_back("…");
  return "[" + joined(words) + "]";
}

}  // namespace

std::string reply_in_words(const Reply& reply) { return words_at(reply, 0); }

}  // namespace rlctl
