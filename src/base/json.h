// The JSON that rlctl writes: members keep their order. Pure; put_bytes and dump_json never fail.
// Whoever builds values includes <nlohmann/json.hpp> too; headers say nlohmann::ordered_json and
// include <nlohmann/json_fwd.hpp>, which costs the compiler a hundredth of it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rlctl {

using Json = nlohmann::ordered_json;

// Input that is nested deeper is refused: nlohmann's destructor and copies may not be safe.
inline constexpr std::size_t kDeepestJson = 64;

// Sets object[name] to the text. If it is not UTF-8, sets object[name] to the escaped text and
// object[name + "_b64"] to the bytes in base64. So two different keys never look the same, and no
// byte is lost.
void put_bytes(Json& object, const std::string& name, std::string_view bytes);

// All JSON is written by this function: ASCII only, because DEL, C1 and bidi controls would stay
// raw otherwise. Below 0, `indent` means one line.
std::string dump_json(const Json& value, int indent = -1);

template <typename Value, typename Result = Json>
Result or_null(const std::optional<Value>& value) {
  return value ? Result(*value) : Result(nullptr);
}

}  // namespace rlctl
