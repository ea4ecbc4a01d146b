// What one machine hands to the others of a log that several judge together (verify --part 2/3):
// the sums of its portion of the keys, and what it knows of the log as a whole, which all of them
// must agree on. "rlctl.verify_part/1"; only the same version of rlctl reads it. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "arrivals/shard.h"
#include "log/log_parser.h"
#include "verdict/outcome/judged_parts.h"

namespace rlctl {

struct LogPortion {
  std::string name;  // of its file, for messages
  Shard part;
  std::string options;  // JSON: how it was judged
  ParsedLogs source;    // its histories have no records
  std::vector<JudgedPortion> histories;
  std::string agreed;  // JSON: equal in all portions of one log
};

nlohmann::ordered_json portion_document(const LogPortion& portion, const std::string& version);

// True if the text begins like such a document.
bool looks_like_portion(std::string_view text);

// Throws Error(Exit::usage) that names the file, if the document is damaged or of another version.
LogPortion read_portion(std::string_view text, const std::string& name, const std::string& version);

// Throws Error(Exit::usage) unless these are all portions of one log, each once, that were judged
// with the same options. Not empty.
void check_portions(const std::vector<LogPortion>& portions);

}  // namespace rlctl
