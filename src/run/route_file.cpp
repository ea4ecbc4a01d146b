#include "run/route_file.h"

#include <algorithm>
#include <array>

#include "base/escape.h"
#include "base/object_fields.h"
#include "base/source_text.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

const std::array<std::string, 1> kFileKeys{"routes"};
const std::array<std::string, 12> kRouteKeys{"path",  "algo",  "command",  "allowed",
                                             "as",    "run",   "manifest", "key",
                                             "rules", "limit", "window",   "block"};

RouteSpec read_route(const JsonValue& value, const std::string& pointer, SourceProblems& problems) {
  ObjectFields fields(value, pointer, kRouteKeys, problems);
  RouteSpec route;
  fields.require("path", "set the path to protect: \"path\": \"/v4/movies\"");
  route.path = fields.text("path");
  if (fields.has("command") && fields.has("algo"))
    fields.complain("command", "use \"algo\" or \"command\", not both", "remove one of them");
  route.manifest = read_manifest(fields);
  route.run = fields.word("run", RunChoice::as_manifest);
  read_policy(fields, route.policy);
  const Rules& rules = route.policy.rules;
  const RuleKind kind = rules.empty() ? RuleKind::sliding : rules.front().kind;
  if (!fields.has("command")) route.algorithm = fields.text("algo", row_of(kind).algorithm);
  return route;
}

void read_routes(const JsonValue& root, std::vector<RouteSpec>& routes, SourceProblems& problems) {
  ObjectFields file(root, "", kFileKeys, problems);
  file.require("routes", "{\"routes\": [{\"path\": …, \"key\": …, \"limit\": …, \"window\": …}]}");
  const JsonValue* written = file.find("routes");
  const auto list = file.list("routes");
  if (written != nullptr && written->kind == JsonKind::array && list.empty())
    file.complain("routes", "the list is empty; add a route");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string pointer = pointer_to(file.pointer("routes"), i);
    RouteSpec route = read_route(*list[i], pointer, problems);
    if (!route.path.empty() && std::ranges::count(routes, route.path, &RouteSpec::path) > 0)
      problems.add(list[i]->span, pointer, "the path " + in_quotes(route.path) + " is used twice",
                   "give each path one policy");
    routes.push_back(std::move(route));
  }
}

}  // namespace

RouteFile parse_route_file(const std::string& file, std::string text) {
  const SourceText source(file, std::move(text));
  JsonDocument document = parse_json_document(source.text());
  std::vector<SourceProblem> found = std::move(document.problems);
  SourceProblems problems(found);
  RouteFile parsed;
  if (document.complete) read_routes(document.root, parsed.routes, problems);
  parsed.mistake_count = found.size();
  if (!found.empty()) parsed.mistakes = describe_all(source, std::move(found));
  return parsed;
}

}  // namespace rlctl
