// The clients of a kind: how many there are, who the n-th is, and which one asks next. Pure: the
// same spec and seed give the same clients on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/host_address.h"
#include "core/identity.h"
#include "core/random.h"
#include "core/scenario.h"

namespace rlctl {

// "10.0.0.0/16", from its first host on; an address alone is everybody's. The spec must have come
// through the parser.
class IdentitySet {
 public:
  explicit IdentitySet(const IdentitySpec& spec);

  std::int64_t size() const { return spec_.count; }
  Identity at(std::int64_t n) const;

 private:
  IdentitySpec spec_;
  std::optional<HostNetwork> network_;
};

// Numbers of clients, one after the other: round robin, all alike likely, or Zipf (client n with
// weight 1 / (n + 1)^skew, by a table of integers: no floating point decides who asks).
class IdentityPicker {
 public:
  IdentityPicker(const IdentitySpec& spec, Random random);

  std::int64_t next();

 private:
  Pick pick_;
  std::int64_t count_;
  std::int64_t turn_ = 0;
  Random random_;
  std::vector<std::uint64_t> cumulative_;  // zipf: the weights up to and with each client
};

// A CSV with a header line that names `ip`, `user` or both; other columns are passed over. Quotes
// as in RFC 4180. Throws Error(Exit::usage) with the line: no such column, no client, an ip that is
// no address, too many.
std::vector<Identity> parse_identity_csv(std::string_view text);

inline constexpr std::int64_t kMostIdentities = 1'000'000;

}  // namespace rlctl
