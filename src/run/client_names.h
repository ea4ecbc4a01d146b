// What rules may count by beside the key, of the clients of a phase: `ip` and `user`, for the log.
// One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "log/record.h"
#include "policy/identity.h"

namespace rlctl {

// The names that the rules of the log count by: Log::names without values. Throws
// Error(Exit::usage) for a name that clients do not have.
std::vector<NamedValues> client_names_in(const Log& log);

class ClientNames {
 public:
  // Adds the clients' values to Log::names. The log must outlive it.
  ClientNames(Log& log, std::span<const Identity> clients);

  // Sets the names of a record: those of its client.
  void add(std::size_t record, std::size_t client);

 private:
  Log& log_;
  std::vector<std::vector<std::uint32_t>> values_;  // by Log::names, then by client
};

}  // namespace rlctl
