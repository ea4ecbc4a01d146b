#include "result/result_file.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "result/codec.h"

namespace rlctl {
namespace {

struct SchemaOnly {
  Text schema;
};

void describe(Fields& fields, SchemaOnly& result) { fields.text({"schema"}, result.schema); }

template <class Document>
bool read_as(const Json& json, ResultFile& file) {
  if (!(file.schema == Document::kSchema)) return false;
  file.document = from_json<Document>(json);
  return true;
}

}  // namespace

std::optional<ResultFile> parse_result(std::string_view text) {
  const auto is_shallow = [](int depth, Json::parse_event_t, Json&) {
    return depth < static_cast<int>(kDeepestJson);
  };
  const Json json = Json::parse(text, is_shallow, false);
  if (!json.is_object()) return std::nullopt;
  ResultFile file{from_json<SchemaOnly>(json).schema, std::nullopt};
  read_as<BenchDocument>(json, file) || read_as<RunDocument>(json, file) ||
      read_as<VerifyDocument>(json, file) || read_as<SimulateDocument>(json, file);
  return file;
}

bool looks_like_result(std::string_view text) {
  const auto skip = [&](std::string_view expected) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
      text.remove_prefix(1);
    if (!text.starts_with(expected)) return false;
    text.remove_prefix(expected.size());
    return true;
  };
  return skip("{") && skip("\"schema\"") && skip(":") && skip("\"rlctl.");
}

void refuse_incomplete_result(const std::string& name) {
  throw Error(Exit::usage, in_quotes(name) + " is not a complete JSON object",
              "rlctl may have been interrupted while writing it: create the file again");
}

}  // namespace rlctl
