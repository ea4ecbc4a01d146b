#include "result/result_file.h"

#include <nlohmann/json.hpp>

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

}  // namespace rlctl
