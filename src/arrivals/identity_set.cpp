#include "arrivals/identity_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/host_address.h"

namespace rlctl {
namespace {

// Zipf weights in units of 2^-40: the sum of a million of them stays below 2^64.
std::vector<std::uint64_t> zipf_table(std::int64_t count, double skew) {
  // skew × log2(n), with the skew in millionths: all arithmetic is in integers.
  const auto millionths = static_cast<std::uint64_t>(skew * 1e6 + 0.5);
  std::vector<std::uint64_t> table;
  table.reserve(static_cast<std::size_t>(count));
  std::uint64_t sum = 0;
  for (std::int64_t n = 1; n <= count; ++n) {
    __extension__ typedef unsigned __int128 Product;
    const auto exponent = static_cast<std::uint64_t>(
        static_cast<Product>(log2_fixed(static_cast<std::uint64_t>(n))) * millionths / 1'000'000);
    sum += std::max<std::uint64_t>(exp2_minus_fixed(exponent) >> 8U, 1);
    table.push_back(sum);
  }
  return table;
}

// Removes a CSV line from the front of `rest` and returns its fields.
std::vector<std::string> take_row(std::string_view& rest) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (quoted) {
      const bool doubled = c == '"' && rest.starts_with('"');
      if (doubled) rest.remove_prefix(1);
      if (c == '"' && !doubled) {
        quoted = false;
      } else {
        fields.back() += c;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::size_t column_of(const std::vector<std::string>& header, std::string_view name) {
  return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
}

std::string field_of(const std::vector<std::string>& row, std::size_t column) {
  return column < row.size() ? row[column] : std::string();
}

std::ptrdiff_t line_at(std::string_view text, std::size_t offset) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

}  // namespace

IdentitySet::IdentitySet(const IdentitySpec& spec)
    : spec_(spec), network_(parse_host_network(spec.ip)) {}

Identity IdentitySet::at(std::int64_t n) const {
  Identity identity;
  if (!spec_.listed.empty()) {
    identity = spec_.listed[static_cast<std::size_t>(n)];
    identity.n = n;
    return identity;
  }
  identity.n = n;
  identity.user = text_of(spec_.user, Identity{{}, {}, n});
  if (network_) identity.ip = format_host_address(network_->host(n % network_->hosts()));
  return identity;
}

IdentityPicker::IdentityPicker(const IdentitySpec& spec, Random random)
    : pick_(spec.pick), count_(spec.count), random_(random) {
  if (pick_ == Pick::zipf) cumulative_ = zipf_table(count_, spec.skew);
}

std::int64_t IdentityPicker::next() {
  switch (pick_) {
    case Pick::round_robin:
      return turn_++ % count_;
    case Pick::uniform:
      return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(count_)));
    case Pick::zipf:
      break;
  }
  const std::uint64_t drawn = random_.below(cumulative_.back());
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), drawn);
  return found - cumulative_.begin();
}

std::vector<Identity> parse_identity_csv(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string_view rest = text;
  const std::vector<std::string> header = take_row(rest);
  const std::size_t ip = column_of(header, "ip");
  const std::size_t user = column_of(header, "user");
  if (ip == header.size() && user == header.size())
    throw Error(Exit::usage, "its first line has neither ip nor user",
                "begin the file with a line such as: ip,user");
  std::vector<Identity> identities;
  while (!rest.empty()) {
    const std::size_t begin = text.size() - rest.size();
    const std::vector<std::string> row = take_row(rest);
    if (row.size() == 1 && row[0].empty()) continue;
    Identity identity{field_of(row, ip), field_of(row, user),
                      static_cast<std::int64_t>(identities.size())};
    if (!identity.ip.empty() && !parse_host_address(identity.ip))
      throw Error(Exit::usage, fmt::format("line {}: {} is not an address", line_at(text, begin),
                                           in_quotes(identity.ip)));
    identities.push_back(std::move(identity));
    if (static_cast<std::int64_t>(identities.size()) > kMostIdentities)
      throw Error(Exit::usage, "it has more than 1,000,000 clients");
  }
  if (identities.empty()) throw Error(Exit::usage, "it has no clients");
  return identities;
}

}  // namespace rlctl
