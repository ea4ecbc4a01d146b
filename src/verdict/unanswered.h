// Until when a request without an answer may have been decided.
//
// Without a bound, one time-out would explain every later denial of its key.
// - Redis decides on one thread, in the order in which requests reach it. Once it has answered two
//   requests that were sent later, on any connection, it has decided the lost one or never will:
//   the second of them was read in a later turn of its loop.
// - Of other services that is not known. The assumption is: when we stopped waiting for it, it was
//   decided no later than the longest answer of the run took. It is printed with the verdict.
// `--max-inflight` replaces both. Only of logs that rlctl wrote itself. Pure; times are µs.
#pragma once

#include <cstdint>
#include <vector>

#include "log/record.h"

namespace rlctl {

class UnansweredBounds {
 public:
  UnansweredBounds() = default;
  explicit UnansweredBounds(const Log& log);

  // By our clock; kOpenEnd if there is no bound.
  std::int64_t until_us(std::uint32_t record) const;
  // How long after the end of waiting one may have been decided; 0: nothing was assumed.
  std::int64_t assumed_us() const { return assumed_us_; }

 private:
  struct Bound {
    std::uint32_t record;
    std::int64_t until_us;
  };
  std::vector<Bound> bounds_;  // by record
  std::int64_t assumed_us_ = 0;
};

}  // namespace rlctl
