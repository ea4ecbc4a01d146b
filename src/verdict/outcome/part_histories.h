// The histories of all keys of one part of a log (log/log_parts.h): made while the records are
// read one by one, so that what is known of a key takes 32 bytes a decision, and no record has to
// stay in memory. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "log/log_parts.h"
#include "verdict/history.h"
#include "verdict/judged_keys.h"

namespace rlctl {

class PartHistories {
 public:
  struct Key {
    std::string text;
    std::uint32_t first_record = 0;  // its number in the log
    History history;
  };

  // Reads the part twice. Throws what KeyHistoryBuilder throws.
  PartHistories(const LogParts& parts, std::size_t part, const Log& head,
                const FramedRules& framed);

  std::vector<Key> take() { return std::move(keys_); }

 private:
  struct Coming {  // of one key
    std::uint32_t first_record = 0;
    std::size_t admitted = 0;
    std::size_t denied = 0;
    ClockEvidence clock;  // only of several servers
  };

  std::vector<Coming> count(const LogParts& parts, std::size_t part, bool several_servers) const;

  std::vector<Key> keys_;
};

}  // namespace rlctl
