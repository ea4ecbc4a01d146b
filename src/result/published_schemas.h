// The JSON Schemas of the published results: `rlctl schema NAME`, and files of the package. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

namespace rlctl {

struct PublishedSchema {
  const char* name;  // the verb whose --json it describes
  nlohmann::ordered_json (*schema)();
};

std::span<const PublishedSchema> published_schemas();

}  // namespace rlctl
