// The words by which limiters name their keys and the fields of their hashes, and what a number of
// that name says. Hashes of numbers are common: carts, counts, sessions. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "inspect/key_state.h"
#include "inspect/layout_reading.h"

namespace rlctl {

// What a hash of numbers says of itself, if its fields are what their names say.
enum class FieldsSay : std::uint8_t {
  nothing,
  no_limit,  // what is used, or was left: full or not is not known
  free,
  full,
  blocked,
};

inline constexpr const char* kNoLimit = "full or not is not known: add --limit and --window";

// What the names of the fields say of a hash of numbers.
struct FieldsReading {
  bool is_limiter = false;
  bool may_be_other = false;             // other software uses these words as much
  std::optional<double> used;            // if it counts requests, and those of now
  std::optional<double> left;            // at since_us, or, without it, now
  std::optional<double> limit;           // that it names itself
  std::optional<std::int64_t> since_us;  // when it was counted last
  std::optional<std::int64_t> frees_us;  // until its window ends
  FieldsSay says = FieldsSay::nothing;
};
FieldsReading read_fields(const KeyState& hash, const KeyContext& context);

// Whether the name of a key says that it limits: `ratelimit`, `api:hits`.
bool is_name_of_limiter(std::string_view name);

// Whether it says that the times in it are the ends of leases: `semaphore`.
bool is_name_of_leases(std::string_view name);

// Whether the last word of a key or a field says that the value is what is left, not what is used:
// tokens, remaining, quota.
bool says_what_is_left(std::string_view name);

}  // namespace rlctl
