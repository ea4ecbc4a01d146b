// The records that prove what was concluded from a log by parts: kept when their part goes, and a
// log of their own at the end. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "log/log_builder.h"
#include "log/log_parts.h"
#include "log/record.h"
#include "verdict/judged_keys.h"

namespace rlctl {

// Lists of false denials are shown so far, unless everything is asked for.
inline constexpr std::size_t kMostLinesListed = 1'000;
// For so many of them, what was admitted before.
inline constexpr std::size_t kDenialsInText = 5;

class KeptRecords {
 public:
  KeptRecords() = default;
  // `all`: also what goes beyond the longest list.
  explicit KeptRecords(bool all) : all_(all) {}

  // What the sums of a part name.
  void keep(const LogParts& parts, std::size_t part, const KeySums& sums, const Rules& rules);
  void join(KeptRecords&& other);
  // Forgets what these sums do not name, if that are most of them.
  void forget_unnamed(const KeySums& sums);

  // Whether all that the sums name is there: of a file, it may not be.
  bool has_named(const KeySums& sums) const;
  // The numbers of the records of the log, ascending.
  std::vector<std::uint32_t> numbers() const;
  // As a log; its lines are by index.
  void make_log(const Log& head, Log& log, LineMap& lines);
  auto members() { return std::tie(all_, kept_, worth_forgetting_); }

 private:
  static constexpr std::uint32_t kNamed = 0xffffffff;
  struct Kept {
    std::uint32_t number = 0;
    std::uint32_t before = kNamed;  // it only tells what was admitted before this denial
    SourceLine source;
    Record record;
    Finish finish;
    std::string key;

    auto members() { return std::tie(number, before, source, record, finish, key); }
  };

  std::vector<std::uint32_t> named_by(const KeySums& sums) const;

  bool all_ = false;
  std::vector<Kept> kept_;
  std::size_t worth_forgetting_ = 10'000;
};

}  // namespace rlctl
