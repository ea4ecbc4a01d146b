// rlctl schema: prints the JSON Schema of a result.
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "result/published_schemas.h"

namespace rlctl {
namespace {

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const PublishedSchema& schema : published_schemas()) names.emplace_back(schema.name);
  return names;
}

Exit run(const std::string& name) {
  for (const PublishedSchema& schema : published_schemas())
    if (name.empty())
      print(std::string(schema.name) + "\n");
    else if (name == schema.name)
      print(dump_json(schema.schema(), 2) + "\n");
  return Exit::done;
}

Action add_options(Options& app) {
  auto name = std::make_shared<std::string>();
  app.add_option("name", *name, "the verb whose --json it describes [list the names]")
      .type_name("NAME")
      .one_of(schema_names());
  return [name] { return run(*name); };
}

}  // namespace

const Verb kSchemaVerb{"schema",
                       "Prints the JSON Schema of the --json of a verb that measures or judges.",
                       "  rlctl schema                 # the names\n"
                       "  rlctl schema bench > bench.schema.json",
                       add_options};

}  // namespace rlctl
