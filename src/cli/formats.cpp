// rlctl formats: lists the logs of other programs that are recognized.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/table.h"
#include "base/wrap.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "log/formats/known_formats.h"

namespace rlctl {
namespace {

const char* stamp_in_words(StampAt stamp) {
  return stamp == StampAt::detected ? "not said" : name_of(stamp);
}

Json format_json(const KnownFormat& format) {
  return {
      {"name", format.name},
      {"program", format.program},
      {"shape", name_of(format.shape)},
      {"tell", format.tell},
      {"columns", format.columns},
      {"stamp", format.stamp == StampAt::detected ? Json(nullptr) : Json(name_of(format.stamp))}};
}

void print_formats_json() {
  Json body;
  body["formats"] = Json::array();
  for (const KnownFormat& format : known_formats()) body["formats"].push_back(format_json(format));
  body["wrappers"] = Json::array();
  for (const LogWrapper& wrapper : log_wrappers())
    body["wrappers"].push_back(
        {{"name", wrapper.name}, {"shape", name_of(wrapper.shape)}, {"tell", wrapper.tell}});
  print_json("formats", std::move(body));
}

void print_formats() {
  Table table({{"name"}, {"shape"}, {"stamp"}, {"program"}});
  for (const KnownFormat& format : known_formats())
    table.add_row(
        {format.name, name_of(format.shape), stamp_in_words(format.stamp), format.program});
  print(table.text(stdout_columns()));
  std::string wrappers;
  for (const LogWrapper& wrapper : log_wrappers())
    wrappers += (wrappers.empty() ? "" : ", ") + std::string(wrapper.name);
  const std::string also = "Each is also found inside of: " + wrappers +
                           ". A time without a zone is UTC. Another format is described by "
                           "--format '$remote_addr [$time_local] \"$request\" $status', as in "
                           "nginx.conf.";
  print("\n" + wrapped_text(also, stdout_columns(), 0) + "\n");
}

Action add_formats_options(Options& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print one JSON object");
  return [json] {
    *json ? print_formats_json() : print_formats();
    return Exit::done;
  };
}

}  // namespace

const Verb kFormatsVerb{"formats", "Lists the logs of other programs that verify and plan read.",
                        "  rlctl formats\n"
                        "  rlctl formats --json",
                        add_formats_options};

}  // namespace rlctl
