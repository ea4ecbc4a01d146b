// Reads fields of a result file without trusting it: a field that is missing or of another type
// counts as empty, and texts are returned escaped (base/escape.h). Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/page/report.h"

namespace rlctl {

using ResultJson = nlohmann::ordered_json;

// The member, or null.
const ResultJson& member(const ResultJson& json, const char* name);

// The member's elements; none if it is not a list.
const ResultJson& list(const ResultJson& json, const char* name);

std::string text_of(const ResultJson& json, const char* name);
std::optional<double> number_of(const ResultJson& json, const char* name);
// The number with all its digits, however large (a seed); empty if there is none.
std::string whole_text_of(const ResultJson& json, const char* name);
std::int64_t whole_of(const ResultJson& json, const char* name);  // 0 if there is none

// For tables: "1,234", "12.34", "-".
ReportCell number_cell(const std::optional<double>& value, int decimals = 0);
ReportCell text_cell(std::string text, Mood mood = Mood::neutral);
ReportCell verdict_cell(const std::string& word);

// For CSV: every significant digit; empty if there is no number.
std::string plain_number(const std::optional<double>& value);

}  // namespace rlctl
