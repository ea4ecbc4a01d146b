#include "base/random.h"

#include <bit>

#include "base/units.h"

namespace rlctl {
namespace {

constexpr int kFractionBits = 48;
constexpr std::uint64_t kOne = std::uint64_t{1} << 63U;  // 1 in the squarings: 1.63 fixed point

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

// The square root, rounded down, computed bit by bit; wanted < 2^128.
std::uint64_t root(WideUnsigned wanted) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t tried = root | std::uint64_t{1} << bit;
    if (static_cast<WideUnsigned>(tried) * tried <= wanted) root = tried;
  }
  return root;
}

// 2^(2^-1), 2^(2^-2) … as 1.63 fixed point.
std::array<std::uint64_t, kFractionBits> make_roots() {
  std::array<std::uint64_t, kFractionBits> roots{};
  WideUnsigned last = static_cast<WideUnsigned>(1) << 64U;
  for (std::uint64_t& next : roots) {
    next = root(last << 63U);
    last = next;
  }
  return roots;
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t state = seed;
  std::uint64_t mixed = splitmix64(state) ^ (stream * 0xD1342543DE82EF95U);
  for (std::uint64_t& word : state_) word = splitmix64(mixed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t n) {
  WideUnsigned product = static_cast<WideUnsigned>(next()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t least = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < least)
      product = static_cast<WideUnsigned>(next()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64U);
}

std::int64_t Random::exponential(std::int64_t mean) {
  // -ln(u) = ln 2 × (64 - log2(u × 2^64)), u in (0, 1).
  constexpr std::uint64_t kLn2 = 0xB17217F7D1CF;  // in units of 2^-48
  std::uint64_t u = next();
  if (u == 0) u = 1;
  const std::uint64_t bits = (std::uint64_t{64} << kFractionBits) - log2_fixed(u);
  const auto nats = static_cast<std::uint64_t>(static_cast<WideUnsigned>(bits) * kLn2 >>
                                               static_cast<unsigned>(kFractionBits));
  return static_cast<std::int64_t>(static_cast<WideUnsigned>(nats) *
                                       static_cast<std::uint64_t>(mean) >>
                                   static_cast<unsigned>(kFractionBits));
}

std::uint64_t log2_fixed(std::uint64_t x) {
  const int whole = 63 - std::countl_zero(x);
  std::uint64_t result = static_cast<std::uint64_t>(whole) << kFractionBits;
  std::uint64_t part = x << (63 - whole);  // in [1, 2)
  for (int bit = kFractionBits - 1; bit >= 0; --bit) {
    const WideUnsigned square = static_cast<WideUnsigned>(part) * part;  // 2.126
    const bool two_or_more = square >> 127U != 0;
    part = static_cast<std::uint64_t>(square >> (two_or_more ? 64U : 63U));
    if (two_or_more) result |= std::uint64_t{1} << bit;
  }
  return result;
}

std::uint64_t exp2_minus_fixed(std::uint64_t y) {
  // 2^-y = 2^-(whole + 1) × 2^(1 - fraction), and the last factor is a product of roots of 2.
  static const std::array<std::uint64_t, kFractionBits> roots = make_roots();
  constexpr std::uint64_t kUnit = std::uint64_t{1} << kFractionBits;
  std::uint64_t whole = y >> kFractionBits;
  const std::uint64_t fraction = y & (kUnit - 1);
  std::uint64_t product = kOne;
  if (fraction != 0) {
    ++whole;
    const std::uint64_t up = kUnit - fraction;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if ((up >> (kFractionBits - 1 - i) & 1U) != 0)
        product = static_cast<std::uint64_t>(static_cast<WideUnsigned>(product) * roots[i] >> 63U);
    }
  }
  return whole >= 63 ? 0 : (product >> 15U) >> whole;
}

}  // namespace rlctl
