#include "base/json.h"

#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/utf8.h"

namespace rlctl {

void put_bytes(Json& object, const std::string& name, std::string_view bytes) {
  if (is_utf8(bytes)) {
    object[name] = std::string(bytes);
  } else {
    object[name] = escape_for_terminal(bytes);
    object[name + "_b64"] = base64(bytes);
  }
}

std::string dump_json(const Json& value, int indent) { return value.dump(indent, ' ', true); }

}  // namespace rlctl
