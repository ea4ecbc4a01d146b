#include "result/published_schemas.h"

#include <nlohmann/json.hpp>

#include "result/bench_document.h"
#include "result/codec.h"
#include "result/comparison_document.h"
#include "result/explore_document.h"
#include "result/plan_document.h"
#include "result/run_document.h"
#include "result/verify_document.h"

namespace rlctl {

std::span<const PublishedSchema> published_schemas() {
  static constexpr PublishedSchema kSchemas[] = {
      {"bench", schema_of<BenchDocument>},     {"compare", schema_of<CompareDocument>},
      {"explore", schema_of<ExploreDocument>}, {"plan", schema_of<PlanDocument>},
      {"run", schema_of<RunDocument>},         {"simulate", schema_of<SimulateDocument>},
      {"verify", schema_of<VerifyDocument>}};
  return kSchemas;
}

}  // namespace rlctl
