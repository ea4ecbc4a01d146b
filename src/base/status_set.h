// A set of HTTP status codes, as people write them: "200-399,404" or "2xx". Plain values; pure.
#pragma once

#include <bitset>
#include <string>
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

// What a status usually means that is neither among the usual 2xx nor 429: the option that says so,
// and its value. Of others, an empty option: an application may have answered, or nobody.
struct UsualMeaning {
  std::string_view option;  // --allowed or --denied
  std::string values;       // "2xx,302"
};
UsualMeaning usual_meaning(int status);

// What to do about answers with this status, which is neither allowed nor denied: "add --allowed
// 2xx,302 if it admits". `to_all`: no request got another answer. `in_scenario`: members of a
// scenario's target take the place of options.
std::string remedy_for_status(int status, bool to_all, bool in_scenario = false);

}  // namespace rlctl
