// rlctl algos: lists the shipped limiters, or prints the script of one.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/wrap.h"
#include "cli/options/policy_options.h"
#include "cli/output/output.h"
#include "cli/verb.h"

namespace rlctl {
namespace {

struct AlgosOptions {
  RegistryOptions registry;
  std::string name;
  LayoutOptions layouts;
  bool specimens = false;
  bool list_layouts = false;
  bool json = false;
};

Json script_json(const Script& script) {
  const Manifest& manifest = script.manifest;
  return {{"name", script.name},
          {"summary", manifest.summary},
          {"contract", manifest.contract.empty() ? Json(nullptr) : Json(manifest.contract)},
          {"clock", name_of(manifest.clock)},
          {"run", name_of(manifest.run)},
          {"cost", manifest.cost},
          {"state", manifest.state.words},
          {"flaw", manifest.flaw},
          {"sha1", script.sha1},
          {"origin", script.origin}};
}

std::string promise_of(const Manifest& manifest) {
  return manifest.contract.empty() ? "none" : manifest.contract;
}

// At least two lines for each algorithm: its description does not fit in a table column.
void print_sound(const Registry& registry) {
  const std::vector<std::string> names = registry.sound_names();
  std::size_t widest = 0;
  for (const std::string& name : names) widest = std::max(widest, name.size());
  const std::size_t width = std::min<std::size_t>(stdout_columns(), 100);
  for (const std::string& name : names) {
    const Manifest& manifest = registry.find(name).manifest;
    const std::string facts = fmt::format("contract {}, {}, clock {}", promise_of(manifest),
                                          manifest.cost, name_of(manifest.clock));
    print(fmt::format("{:{}}  {}{:{}}  {}", name, widest, wrapped_text(facts, width, widest + 2),
                      "", widest, wrapped_text(manifest.summary, width, widest + 2)));
  }
}

// One paragraph for each specimen: its flaw does not fit in a table column.
void print_specimens(const Registry& registry) {
  const std::size_t width = std::min<std::size_t>(stdout_columns(), 100);
  for (const std::string& name : registry.specimen_names()) {
    const Manifest& manifest = registry.find(name).manifest;
    print(name + "\n  " + wrapped_text(manifest.summary, width, 2));
    print(fmt::format("  runs on the {}, contract {}\n  {}\n", name_of(manifest.run),
                      promise_of(manifest), wrapped_text("flaw: " + manifest.flaw, width, 2)));
  }
}

Json layout_json(const Layout& layout) {
  Json json{{"name", layout.name}, {"words", layout.words}, {"origin", layout.origin}};
  json["contract"] = layout.contract.empty() ? Json(nullptr) : Json(layout.contract);
  json["keys"] = Json::array();
  for (const LayoutKey& key : layout.keys)
    json["keys"].push_back(
        {{"key", key.text}, {"type", name_of(key.state.type)}, {"holds", key.state.words}});
  return json;
}

void print_layouts(const Layouts& layouts) {
  for (const auto& layout : layouts.all()) {
    print(escape_for_terminal(layout->name + ": " + layout->words) + "\n");
    for (const LayoutKey& key : layout->keys)
      print(escape_for_terminal(
                fmt::format("  {}  {}: {}", key.text, name_of(key.state.type), key.state.words)) +
            "\n");
  }
}

Exit run_layouts(const AlgosOptions& options) {
  const Layouts layouts = options.layouts.layouts();
  if (!options.json) return print_layouts(layouts), Exit::done;
  Json body;
  body["layouts"] = Json::array();
  for (const auto& layout : layouts.all()) body["layouts"].push_back(layout_json(*layout));
  print_json("algos", std::move(body));
  return Exit::done;
}

// What was typed and says nothing about what is printed. `given`: the options of the command line.
void refuse_ineffective(const AlgosOptions& options, const std::vector<std::string>& given) {
  const bool is_one = !options.name.empty();
  const bool layouts = options.list_layouts && !is_one;
  const std::pair<const char*, bool> applies[] = {{"--specimens", !is_one && !layouts},
                                                  {"--known-keys", !is_one},
                                                  {"--lua-dir", !layouts},
                                                  {"--as", layouts},
                                                  {"--layouts", layouts}};
  const std::string listing = is_one    ? "to " + in_quotes(options.name)
                              : layouts ? "to --known-keys"
                                        : "without --known-keys";
  for (const auto& [option, does] : applies)
    if (!does && std::ranges::find(given, option) != given.end())
      throw Error(Exit::usage, fmt::format("{} does not apply {}", option, listing),
                  fmt::format("leave out {}", option));
}

Exit run_algos(const AlgosOptions& options) {
  if (options.list_layouts) return run_layouts(options);
  const Registry registry = options.registry.registry();
  if (!options.name.empty()) {
    const Script script = registry.find(options.name);
    if (!options.json) {
      print(script.text);
      return Exit::done;
    }
    Json body = script_json(script);
    body["text"] = script.text;
    print_json("algos", std::move(body));
    return Exit::done;
  }
  if (!options.json) {
    options.specimens ? print_specimens(registry) : print_sound(registry);
    return Exit::done;
  }
  Json body;
  body["algorithms"] = Json::array();
  for (const std::string& name :
       options.specimens ? registry.specimen_names() : registry.sound_names())
    body["algorithms"].push_back(script_json(registry.find(name)));
  print_json("algos", std::move(body));
  return Exit::done;
}

Action add_algos_options(Options& app) {
  auto options = std::make_shared<AlgosOptions>();
  app.add_option("name", options->name, "print the script and manifest of this algorithm")
      .type_name("NAME|FILE.lua");
  app.add_flag("--specimens", options->specimens,
               "list published limiters that have a flaw, each with its flaw");
  app.add_flag("--known-keys", options->list_layouts,
               "list the libraries whose keys inspect, list, watch and reset can read");
  app.add_flag("--json", options->json, "print one JSON object");
  options->registry.add_to(app);
  options->layouts.add_to(app);
  return [options, app] {
    refuse_ineffective(*options, app.given());
    return run_algos(*options);
  };
}

}  // namespace

const Verb kAlgosVerb{
    "algos", "Lists the shipped algorithms (contract, cost, clock), or prints the script of one.",
    "  rlctl algos\n"
    "  rlctl algos sliding-list\n"
    "  rlctl algos --specimens",
    add_algos_options};

}  // namespace rlctl
