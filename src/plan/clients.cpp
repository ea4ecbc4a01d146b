#include "plan/clients.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "log/formats/columns.h"
#include "log/rule_keys.h"
#include "policy/per.h"

namespace rlctl {
namespace {

// nginx's variable for a header, "http_x_api_key".
std::string column_of_header(std::string_view header) {
  std::string column = "http_" + lower_case(trimmed(header));
  std::ranges::replace(column, '-', '_');
  return column;
}

std::string part_of(std::string_view text) {
  constexpr std::string_view kHeader = "header ";
  const std::string part =
      text.starts_with(kHeader) ? column_of_header(text.substr(kHeader.size())) : std::string(text);
  if (const std::string problem = problem_of_per(part); !problem.empty())
    throw Error(Exit::usage, "--by " + in_quotes(text) + ": " + problem,
                "for example --by ip, --by ip/64, --by 'ip + user' or --by 'header x-api-key'");
  return part;
}

// Two clients in one number.
std::uint32_t joined(std::unordered_map<std::uint64_t, std::uint32_t>& pairs, std::uint32_t a,
                     std::uint32_t b) {
  const std::uint64_t pair = (std::uint64_t{a} << 32U) | b;
  return pairs.try_emplace(pair, static_cast<std::uint32_t>(pairs.size())).first->second;
}

ToldApart clients_by(const Log& log, const std::string& per) {
  const RuleKeys keys(log, per);
  ToldApart clients;
  clients.of_record.resize(log.records.size());
  for (std::size_t i = 0; i < log.records.size(); ++i) clients.of_record[i] = keys.of(i);
  clients.names = keys.texts();
  return clients;
}

ToldApart both_of(const ToldApart& a, const ToldApart& b) {
  ToldApart both;
  std::unordered_map<std::uint64_t, std::uint32_t> pairs;
  for (std::size_t i = 0; i < a.of_record.size(); ++i) {
    const bool counted = a.of_record[i] != kUncounted && b.of_record[i] != kUncounted;
    both.of_record.push_back(counted ? joined(pairs, a.of_record[i], b.of_record[i]) : kUncounted);
  }
  both.names.resize(pairs.size());
  for (const auto& [pair, number] : pairs)
    both.names[number] = a.names[pair >> 32U] + " " + b.names[pair & 0xFFFFFFFFU];
  return both;
}

}  // namespace

ClientBy parse_client_by(std::string_view text) {
  ClientBy by{std::string(text), {}};
  if (text == "key") return by;
  for (const std::string& part : split(text, '+')) by.parts.push_back(part_of(trimmed(part)));
  if (by.parts.empty()) part_of("");
  return by;
}

ToldApart clients_of(const Log& log, const ClientBy& by, std::span<const std::string> columns) {
  if (by.parts.empty()) return clients_by(log, "");
  ToldApart clients;
  for (const std::string& part : by.parts) {
    const std::string_view name = name_in_per(part);
    const auto values = std::ranges::find(log.names, name, &NamedValues::name);
    if (values == log.names.end() || values->values.size() < 2)
      throw Error(Exit::usage, "--by: no line of the log has a value of " + in_quotes(name),
                  "if its column has another name, add --name-column " + std::string(name) +
                      "=COLUMN" +
                      (columns.empty() ? "" : "; the columns are " + listed_columns(columns)));
    ToldApart one = clients_by(log, part);
    clients = clients.names.empty() ? std::move(one) : both_of(clients, one);
  }
  return clients;
}

}  // namespace rlctl
