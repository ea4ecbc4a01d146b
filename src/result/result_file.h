// Reads a result file: the --json output of bench, run, simulate or verify. Pure; never fails on
// what the file contains.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "result/bench_document.h"
#include "result/run_document.h"
#include "result/verify_document.h"

namespace rlctl {

using ResultDocument = std::variant<BenchDocument, RunDocument, VerifyDocument, SimulateDocument>;

struct ResultFile {
  Text schema;
  std::optional<ResultDocument> document;  // empty: the schema is another one
};

// Empty if the text is not a complete JSON object. Objects nested more than 64 deep are left out.
std::optional<ResultFile> parse_result(std::string_view text);

// True if the text begins like a result.
bool looks_like_result(std::string_view text);
// Throws Error(Exit::usage): such a text is not complete.
[[noreturn]] void refuse_incomplete_result(const std::string& name);

}  // namespace rlctl
