// A group of clients: how many there are, who the n-th is, and which one sends the next request.
// Pure: the same spec and seed give the same clients on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/host_address.h"
#include "base/random.h"
#include "policy/identity.h"
#include "arrivals/phase.h"

namespace rlctl {

// Gives out the addresses of a network such as "10.0.0.0/16" from its first host on; all clients
// share a single address. The parser must have checked the spec.
class IdentitySet {
 public:
  explicit IdentitySet(const IdentitySpec& spec);

  std::int64_t size() const { return spec_.count; }
  Identity at(std::int64_t n) const;

 private:
  IdentitySpec spec_;
  std::optional<HostNetwork> network_;
};

// Picks the numbers of the clients, one after the other: round robin, uniform, or Zipf. With Zipf
// client n has the weight 1 / (n + 1)^skew, from a table of integers: floating point has no
// influence on the choice.
class IdentityPicker {
 public:
  IdentityPicker(const IdentitySpec& spec, Random random);

  std::int64_t next();

 private:
  Pick pick_;
  std::int64_t count_;
  std::int64_t turn_ = 0;
  Random random_;
  std::vector<std::uint64_t> cumulative_;  // zipf: the sum of the weights up to each client
};

// Reads a CSV with a header line that names `ip`, `user` or both; other columns are ignored. Quotes
// as in RFC 4180. Throws Error(Exit::usage): no such column, no client, an ip that is not an
// address (with its line), too many clients.
std::vector<Identity> parse_identity_csv(std::string_view text);

inline constexpr std::int64_t kMostIdentities = 1'000'000;

}  // namespace rlctl
