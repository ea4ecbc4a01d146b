// Everything that `rlctl probe` found out about one limiter, for people and as JSON. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "probe/burst.h"
#include "probe/examination.h"
#include "probe/identity_trial.h"
#include "run/probe/clock_play.h"
#include "verdict/outcome/header_truth.h"

namespace rlctl {

struct ProbeFindings {
  Examination examination;
  std::vector<IdentityFinding> identity{};
  std::vector<PartLeftOut> left_out{};  // of the parts that may identify a client
  BurstFinding burst{};
  std::vector<HeaderFinding> headers{};
  KeptPromises promises{};            // of Retry-After
  Log log{};                          // the answers to the unchanged request, one after another
  std::optional<ClockOwner> clock{};  // of a script
  std::int64_t ahead_us = 0;          // so far was a client's clock ahead
  // What was sent beside the examination, by what it was for.
  std::vector<std::pair<std::string, std::int64_t>> sent_beside{};
  bool interrupted = false;
  std::optional<Error> lost{};  // why there are no more answers

  // Nothing more is sent.
  bool is_over() const { return interrupted || lost; }
  std::int64_t examined_with() const { return std::ssize(examination.log().records); }
  std::int64_t requests() const;
};

std::string probe_text(const ProbeFindings& findings);
nlohmann::ordered_json probe_json(const ProbeFindings& findings, const std::string& limiter);

}  // namespace rlctl
