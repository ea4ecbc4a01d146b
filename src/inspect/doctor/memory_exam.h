// What the clients of limiters cost in memory, and how many more fit. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "inspect/doctor/finding.h"

namespace rlctl {

struct ClientMemory {
  std::int64_t keys = 0;     // that may be of limiters
  std::int64_t clients = 0;  // the limiters that these are: the keys of one client are one
  double bytes_per_key = 0;  // measured on some; 0: not known
  std::optional<std::int64_t> room_bytes{};  // up to maxmemory; empty: no bound, or not known

  double bytes_per_client() const;
  // How many more clients fit; empty: no bound, or not known.
  std::optional<std::int64_t> room() const;
  std::string in_words() const;  // lines
};

void examine(const ClientMemory& memory, HealthFindings& findings);

}  // namespace rlctl
