#include "inspect/own_state.h"

#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "inspect/inspection_text.h"

namespace rlctl {

OwnState::OwnState(const Registry& registry, const Script& script, std::string algo_option)
    : registry_(registry), name_(script.name), algo_option_(std::move(algo_option)) {
  const Manifest& manifest = script.manifest;
  if (manifest.state.type != StateType::none && manifest.is_state_in_key()) reader_.emplace(script);
}

std::optional<Error> OwnState::stranger(const KeyState& state) {
  if (!reader_ || !state.problem.empty() || !state.exists()) return std::nullopt;
  if (!reader_->read(state, {}).algorithms.empty()) return std::nullopt;
  if (!of_all_) of_all_.emplace(registry_, "");
  const KeyReading reading = of_all_->read(state, {});
  return Error(Exit::target,
               in_quotes(state.key) + " holds what " + escape_for_terminal(name_) +
                   " does not store: " + in_words(state, reading),
               reading.algorithms.empty()
                   ? "no algorithm of rlctl stores that; name the script that wrote it with " +
                         algo_option_ + " FILE.lua"
                   : "if you know what wrote it: " + algo_option_ + " " +
                         joined(reading.algorithms, " or "));
}

// The type and the content are read one after the other: of a key that expires meanwhile the second
// look finds nothing.
Task<std::optional<Error>> OwnState::stranger_at(Redis& redis, std::string key) {
  if (!reader_) co_return std::nullopt;
  std::optional<Error> found;
  for (int looks = 0; looks < 2; ++looks) {
    std::vector<std::string> keys;
    keys.push_back(key);
    const std::vector<KeyState> states = co_await glance_at(redis, std::move(keys));
    found = stranger(states.front());
    if (!found) break;
  }
  co_return found;
}

}  // namespace rlctl
