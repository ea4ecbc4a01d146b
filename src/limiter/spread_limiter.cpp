#include "limiter/spread_limiter.h"

#include <string_view>

namespace rlctl {
namespace {

constexpr std::uint64_t kTargetStream = 1;

// FNV-1a: std::hash differs between machines.
std::uint64_t hash_of(const Identity& client) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;
  };
  mix(client.ip);
  mix(client.user);
  mix(std::to_string(client.n));
  return hash;
}

}  // namespace

TargetChoice::TargetChoice(TargetSpread spread, std::size_t targets, std::uint64_t seed,
                           std::size_t part, std::size_t parts)
    : spread_(spread),
      targets_(targets),
      part_(part),
      parts_(parts),
      random_(seed, kTargetStream) {}

// Draws for the requests of the other parts, too.
std::uint64_t TargetChoice::drawn() {
  std::uint64_t own = 0;
  for (std::size_t part = 1; part <= parts_; ++part) {
    const std::uint64_t one = random_.below(targets_);
    if (part == part_) own = one;
  }
  return own;
}

std::uint8_t TargetChoice::next(const Identity* client) {
  switch (spread_) {
    case TargetSpread::round:
      break;
    case TargetSpread::random:
      return static_cast<std::uint8_t>(drawn());
    case TargetSpread::client:
      // The low bits of FNV are weak: they are taken from a generator that it seeds.
      return static_cast<std::uint8_t>(
          Random(hash_of(client == nullptr ? Identity() : *client)).below(targets_));
  }
  return static_cast<std::uint8_t>((part_ - 1 + parts_ * requests_++) % targets_);
}

Task<Decision> SpreadLimiter::decide(const Attempt& attempt) {
  const std::uint8_t target = choice_.next(attempt.identity);
  Decision decision = co_await limiters_[target]->decide(attempt);
  decision.target = target;
  co_return decision;
}

}  // namespace rlctl
