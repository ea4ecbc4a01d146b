// The limiter's promise, and the table of the kinds of promise: a row has a kind's word, the
// members that it takes, and its sentences. Parsers, options, JSON, the schema's test and all texts
// read it; verdict/contract_rules.h adds the judge and the bound of each kind. Plain values; times
// are µs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/words.h"
#include "policy/policy.h"

namespace rlctl {

// How an algorithm counts (README, "How decisions are judged").
enum class ContractKind : std::uint8_t { none, sliding, fixed, anchored, bucket };

struct ContractRow {
  const char* name;
  ContractKind meaning;
  // The members that it takes beside `limit` and `window_us`.
  bool takes_phase = false;     // where windows start; empty: unknown
  bool takes_capacity = false;  // `limit` per `window_us` is then the rate of the refill
  // How it counts.
  bool any_window = false;        // it is the user's own question: no window holds more
  bool counts_from_0 = false;     // the stored count begins again at 0 when a window ends
  bool limit_is_proof = false;    // more than `limit` in the worst window are too many
  const char* span = "{window}";  // the time in which admissions are counted
  // The sentences; {limit}, {window} and {capacity} are filled in.
  const char* rate = "{limit} per {window}";
  const char* summary;
  const char* promise = "at most {limit} in any {window}";
};

inline constexpr ContractRow kContractRows[] = {
    {.name = "sliding",
     .meaning = ContractKind::sliding,
     .any_window = true,
     .limit_is_proof = true,
     .summary = "sliding, {limit} per {window}"},
    {.name = "fixed",
     .meaning = ContractKind::fixed,
     .takes_phase = true,
     .counts_from_0 = true,
     .limit_is_proof = true,
     .summary = "fixed, {limit} per {window}",
     .promise = "at most {limit} in each window of {window}"},
    {.name = "anchored",
     .meaning = ContractKind::anchored,
     .counts_from_0 = true,
     .summary = "anchored, {limit} per {window}",
     .promise = "at most {limit} in the {window} after a first request"},
    {.name = "bucket",
     .meaning = ContractKind::bucket,
     .takes_capacity = true,
     .span = "a span",
     .rate = "a bucket of {capacity} refilled at {limit} per {window}",
     .summary = "bucket of {capacity}, refilled {limit} per {window}",
     .promise = "at most {capacity} at once, refilled by {limit} per {window}"},
    {.name = "none", .meaning = ContractKind::none, .summary = "none, {limit} per {window}"}};
constexpr std::span<const ContractRow> words_of(ContractKind) { return kContractRows; }

struct Contract {
  ContractKind kind = ContractKind::none;
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::optional<std::int64_t> phase_us = 0;  // empty: unknown
  std::int64_t capacity = 0;
  bool counts_denied = false;  // denied attempts fill the window too
  std::int64_t block_us = 0;   // after a denial, every request is denied for this long

  const ContractRow& row() const { return row_of(kind); }
  bool is_given() const { return kind != ContractKind::none; }
  bool has_known_phase() const { return row().takes_phase && phase_us.has_value(); }
  bool has_unknown_phase() const { return row().takes_phase && !phase_us.has_value(); }
  std::int64_t most_at_once() const { return row().takes_capacity ? capacity : limit; }

  bool operator==(const Contract&) const = default;
};

// The contract of a limiter that counts like this and enforces the policy.
Contract contract_of(ContractKind kind, const Policy& policy);

// "sliding, 100 per 1m", "bucket of 20, refilled 100 per 1m, denied requests count".
std::string contract_in_words(const Contract& contract);
// "at most 100 in any 1m".
std::string promise_in_words(const Contract& contract);
// "100 per 1m", "a bucket of 20 refilled at 100 per 1m".
std::string rate_in_words(const Contract& contract);
// "1m"; "a span" for a contract without windows.
std::string span_in_words(const Contract& contract);

}  // namespace rlctl
