// Fields of a result file, read with nothing taken for granted: what is missing or of another kind
// is empty, texts come escaped (core/escape.h). Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/report.h"

namespace rlctl {

using ResultJson = nlohmann::ordered_json;

// The member, or null.
const ResultJson& member(const ResultJson& json, const char* name);

// Its elements; none where it is no list.
const ResultJson& list(const ResultJson& json, const char* name);

std::string text_of(const ResultJson& json, const char* name);
std::optional<double> number_of(const ResultJson& json, const char* name);
// As it stands there, however large: a seed. Empty where there is none.
std::string whole_text_of(const ResultJson& json, const char* name);
std::int64_t whole_of(const ResultJson& json, const char* name);  // 0 where there is none

// For tables: "1,234", "12.34", "-".
ReportCell number_cell(const std::optional<double>& value, int decimals = 0);
ReportCell text_cell(std::string text, Mood mood = Mood::neutral);
ReportCell verdict_cell(const std::string& word);

// As CSV writes it: every digit that matters, none where there is no number.
std::string plain_number(const std::optional<double>& value);

}  // namespace rlctl
