#include "arrivals/shard.h"

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"

namespace rlctl {

std::string Shard::text() const { return std::to_string(index) + "/" + std::to_string(count); }

Shard parse_shard(std::string_view text, std::string_view field) {
  constexpr std::int64_t kMostParts = 1'000;
  const std::size_t slash = text.find('/');
  const std::string what = std::string(field) + ": " + in_quotes(text);
  if (slash == std::string_view::npos)
    throw Error(Exit::usage, what + " is not a part such as 1/3",
                "write 1/3 for the first of three");
  const std::int64_t index = parse_count(text.substr(0, slash), field);
  const std::int64_t count = parse_count(text.substr(slash + 1), field);
  if (index > count || count > kMostParts)
    throw Error(Exit::usage,
                what + (index > count ? ": there is no such part" : ": too many parts"),
                index > count ? "parts are numbered from 1 to the number of parts"
                              : "the maximum is 1,000");
  return {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(count)};
}

}  // namespace rlctl
