// How requests are told apart into clients: by the log's key, by a column, by the network of an
// address in a column, or by several of them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "log/record.h"

namespace rlctl {

// "ip/64 + header x-api-key".
struct ClientBy {
  std::string text;                // as written
  std::vector<std::string> parts;  // each as policy/per.h reads it; empty: the log's key
  bool operator==(const ClientBy&) const = default;
};

// "key" is the log's key; "header NAME" the column in which servers log a request's header. Throws
// Error(Exit::usage) that names the option.
ClientBy parse_client_by(std::string_view text);

struct ToldApart {
  std::vector<std::uint32_t> of_record;  // kUncounted: the request lacks a value
  std::vector<std::string> names;
};

// Throws Error(Exit::usage) if the log has no such column.
ToldApart clients_of(const Log& log, const ClientBy& by, std::span<const std::string> columns);

}  // namespace rlctl
