#include "run/client_names.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "base/escape.h"
#include "policy/per.h"

namespace rlctl {
namespace {

struct ClientName {
  const char* name;
  std::string Identity::*value;
};
constexpr ClientName kClientNames[] = {{"ip", &Identity::ip}, {"user", &Identity::user}};

const ClientName* known(const std::string& name) {
  for (const ClientName& known : kClientNames)
    if (name == known.name) return &known;
  return nullptr;
}

std::vector<std::uint32_t> numbers_of(std::span<const Identity> clients,
                                      std::string Identity::*value, NamedValues& values) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < values.values.size(); ++i) numbers.emplace(values.values[i], i);
  std::vector<std::uint32_t> by_client;
  for (const Identity& client : clients) {
    const auto next = static_cast<std::uint32_t>(values.values.size());
    const auto [found, is_new] = numbers.emplace(client.*value, next);
    if (is_new) values.values.push_back(client.*value);
    by_client.push_back(found->second);
  }
  return by_client;
}

}  // namespace

std::vector<NamedValues> client_names_in(const Log& log) {
  Rules rules = log.policy.rules;
  rules.insert(rules.end(), log.contract.begin(), log.contract.end());
  std::vector<NamedValues> names;
  for (const std::string& name : names_in(rules)) {
    if (known(name) == nullptr)
      throw Error(Exit::usage, "no client has a name " + in_quotes(name) + " to count by",
                  "the rules of a run count by 'per ip', 'per ip/64' and 'per user'");
    names.emplace_back().name = name;
  }
  return names;
}

ClientNames::ClientNames(Log& log, std::span<const Identity> clients) : log_(log) {
  for (NamedValues& values : log.names)
    values_.push_back(numbers_of(clients, known(values.name)->value, values));
}

void ClientNames::add(std::size_t record, std::size_t client) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (client < values_[i].size()) log_.names[i].set(record, values_[i][client]);
}

}  // namespace rlctl
