// A set of HTTP status codes, as people write them: "200-399,404" or "2xx". Plain values; pure.
#pragma once

#include <bitset>
#include <string_view>

namespace rlctl {

class StatusSet {
 public:
  StatusSet() = default;
  // Throws Error(Exit::usage) that names `field`.
  StatusSet(std::string_view text, std::string_view field);

  bool has(int status) const { return status >= 0 && status < kEnd && statuses_.test(at(status)); }
  bool overlaps(const StatusSet& other) const { return (statuses_ & other.statuses_).any(); }

 private:
  static constexpr int kEnd = 1'000;
  static std::size_t at(int status) { return static_cast<std::size_t>(status); }

  std::bitset<kEnd> statuses_;
};

}  // namespace rlctl
