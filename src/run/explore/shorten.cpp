#include "run/explore/shorten.h"

#include <algorithm>
#include <optional>

#include "run/explore/trace.h"

namespace rlctl {
namespace {

// The choices up to the first state that reaches the goal; empty if a choice is not possible, or no
// state does.
std::vector<Choice> followed(ExploreSpace& space, const std::vector<Choice>& choices,
                             const std::function<bool(ExploreSpace::State)>& reaches) {
  ExploreSpace::State state = space.first();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::optional<ExploreSpace::Edge> edge = space.edge(state, choices[i]);
    if (!edge) return {};
    state = edge->to;
    if (reaches(state)) return {choices.begin(), choices.begin() + static_cast<long>(i) + 1};
  }
  return {};
}

bool is_of(const Choice& choice, std::uint8_t client) {
  return choice.index == client &&
         (choice.kind == Choice::Kind::client || choice.kind == Choice::Kind::crash);
}

}  // namespace

std::vector<Choice> shortened(ExploreSpace& space, std::vector<Choice> choices,
                              const std::function<bool(ExploreSpace::State)>& reaches) {
  const auto try_without = [&](const auto& is_dropped) {
    std::vector<Choice> fewer = choices;
    std::erase_if(fewer, is_dropped);
    if (fewer.size() == choices.size()) return false;
    if (space.rules().clients_alike) fewer = renamed_by_order(std::move(fewer));
    fewer = followed(space, fewer, reaches);
    if (fewer.empty()) return false;
    choices = std::move(fewer);
    return true;
  };
  // Without one client, its number may be that of the next: it is tried again.
  for (std::size_t client = 0; client < space.rules().clients;)
    if (!try_without(
            [&](const Choice& one) { return is_of(one, static_cast<std::uint8_t>(client)); }) ||
        !space.rules().clients_alike)
      ++client;
  for (const Choice& event : std::vector<Choice>(choices))
    if (event.kind != Choice::Kind::client)
      try_without([&](const Choice& one) { return one == event; });
  return choices;
}

}  // namespace rlctl
