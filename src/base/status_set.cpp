#include "base/status_set.h"

#include <string>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

Error wrong_status(std::string_view text, std::string_view field) {
  return Error(Exit::usage, std::string(field) + ": " + in_quotes(text) + " is not an HTTP status",
               "write three digits, a class, a range or a list: 2xx, 200-399,404");
}

int parse_status(std::string_view text, std::string_view field) {
  const auto status = parse_whole<int>(text);
  if (!status || *status < 100 || *status > 999) throw wrong_status(text, field);
  return *status;
}

bool is_class(std::string_view text) {
  return text.size() == 3 && text[0] >= '1' && text[0] <= '9' && text.substr(1) == "xx";
}

}  // namespace

StatusSet::StatusSet(std::string_view text, std::string_view field) {
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const bool whole_class = is_class(part);
    const int first =
        whole_class ? (part[0] - '0') * 100 : parse_status(part.substr(0, dash), field);
    int last = whole_class ? first + 99 : first;
    if (dash != std::string_view::npos) last = parse_status(part.substr(dash + 1), field);
    if (last < first) throw wrong_status(part, field);
    for (int status = first; status <= last; ++status) statuses_.set(at(status));
    if (more) text.remove_prefix(comma + 1);
  }
}

UsualMeaning usual_meaning(int status) {
  if (status / 100 == 2) return {"--allowed", "2xx"};
  if (status / 100 == 3) return {"--allowed", "2xx," + std::to_string(status)};
  if (status == 403 || status == 503) return {"--denied", "429," + std::to_string(status)};
  return {};
}

std::string remedy_for_status(int status, bool to_all, bool in_scenario) {
  if (to_all && status == 404) return "check the path";
  if (to_all && status == 400)
    return "check the path, the method, the headers and the body; if this port may speak TLS, try "
           "https://";
  const UsualMeaning usual = usual_meaning(status);
  if (usual.option.empty())
    return in_scenario ? R"(say what it means with "allowed" or "denied")"
                       : "say what it means with --allowed or --denied";
  const std::string if_so = usual.option == "--allowed" ? " if it admits" : " if it denies";
  if (!in_scenario) return "add " + std::string(usual.option) + " " + usual.values + if_so;
  const std::string values = joined(split(usual.values, ','), R"(", ")");
  return "add \"" + std::string(usual.option.substr(2)) + R"(": [")" + values + R"("])" + if_so;
}

}  // namespace rlctl
