#include "result/stored.h"

#include "base/error.h"
#include "base/escape.h"
#include "base/utf8.h"

namespace rlctl {

void refuse_stored() { throw Error(Exit::usage, "the file is damaged"); }

// {"b64": "..."} if it is not UTF-8.
Json stored_text(const std::string& text) {
  if (is_utf8(text)) return text;
  Json bytes = Json::object();
  bytes["b64"] = base64(text);
  return bytes;
}

void restore_text(const Json& json, std::string& text) {
  const Json* value = &json;
  if (json.is_object() && json.contains("b64")) value = &json["b64"];
  if (!value->is_string()) refuse_stored();
  text = value->get<std::string>();
  if (value == &json) return;
  auto bytes = from_base64(text);
  if (!bytes) refuse_stored();
  text = std::move(*bytes);
}

const Json& list_in(const Json& json, std::optional<std::size_t> size) {
  if (!json.is_array() || (size && json.size() != *size)) refuse_stored();
  return json;
}

}  // namespace rlctl
