#include "probe/identity_trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace rlctl {
namespace {

// Addresses of documentation (RFC 5737): they belong to nobody.
constexpr IdentityTrial kTrials[] = {
    {kNewConnection},
    {kSourceAddress},
    {.name = "X-Forwarded-For", .header = "X-Forwarded-For", .varied = "198.51.100.{n}"},
    {.name = "X-Forwarded-For, its first address",
     .header = "X-Forwarded-For",
     .base = "192.0.2.1, 192.0.2.2",
     .varied = "198.51.100.{n}, 192.0.2.2",
     .only_after = "X-Forwarded-For"},
    {.name = "X-Forwarded-For, its last address",
     .header = "X-Forwarded-For",
     .base = "192.0.2.3, 192.0.2.4",
     .varied = "192.0.2.3, 198.51.100.{n}",
     .only_after = "X-Forwarded-For"},
    // 2001:db8::/32 is for documentation (RFC 3849)
    {.name = "X-Forwarded-For, an IPv6 address of the same /64",
     .header = "X-Forwarded-For",
     .base = "2001:db8:1:1::1",
     .varied = "2001:db8:1:1::{n}",
     .only_after = "X-Forwarded-For"},
    {.name = "X-Forwarded-For, an IPv6 address of the same /56",
     .header = "X-Forwarded-For",
     .base = "2001:db8:2:1::1",
     .varied = "2001:db8:2:{n}::1",
     .only_after = "X-Forwarded-For"},
    {.name = "X-Forwarded-For, an IPv6 address of the same /48",
     .header = "X-Forwarded-For",
     .base = "2001:db8:3:100::1",
     .varied = "2001:db8:3:{n}00::1",
     .only_after = "X-Forwarded-For"},
    {.name = "X-Real-IP", .header = "X-Real-IP", .varied = "198.51.100.{n}"},
    {.name = "Forwarded", .header = "Forwarded", .varied = "for=198.51.100.{n}"},
    {.name = "CF-Connecting-IP", .header = "CF-Connecting-IP", .varied = "198.51.100.{n}"},
    {.name = "True-Client-IP", .header = "True-Client-IP", .varied = "198.51.100.{n}"},
    {.name = "X-Client-IP", .header = "X-Client-IP", .varied = "198.51.100.{n}"},
    {.name = "X-Api-Key", .header = "X-Api-Key", .varied = "rlctl-probe-{n}"},
    {.name = "Authorization", .header = "Authorization", .varied = "Bearer rlctl-probe-{n}"},
    {.name = "Cookie", .header = "Cookie", .varied = "session=rlctl-probe-{n}"},
    {.name = "User-Agent", .header = "User-Agent", .varied = "rlctl-probe-{n}"},
    {kQuery},
};

constexpr const char* kSentences[] = {"no: the same quota", "YES: a new value has a fresh quota",
                                      "not decided: there was room again too soon",
                                      "not decided: neither admitted nor denied"};

void set_header(TargetSpec& spec, const std::string& name, const std::string& value) {
  const auto is_same = [&](const auto& one) { return lower_case(one.first) == lower_case(name); };
  std::erase_if(spec.headers, is_same);
  if (!value.empty()) spec.headers.emplace_back(name, value);
}

std::string with_number(std::string text, const std::string& number) {
  return text.replace(text.find("{n}"), 3, number);
}

}  // namespace

std::span<const IdentityTrial> identity_trials() { return kTrials; }

TargetSpec unchanged_request(TargetSpec spec, const IdentityTrial& trial) {
  if (*trial.base != '\0') set_header(spec, trial.header, trial.base);
  return spec;
}

TargetSpec changed_request(TargetSpec spec, const IdentityTrial& trial, int n) {
  const std::string number = std::to_string(n);
  if (trial.name == std::string(kSourceAddress)) spec.source_ip = "127.0.0." + number;
  if (trial.name == std::string(kQuery)) {
    spec.url.resize(std::min(spec.url.find('#'), spec.url.size()));
    spec.url += (spec.url.find('?') == std::string::npos ? "?" : "&");
    spec.url += "rlctl-probe=" + number;
  }
  if (*trial.header != '\0') set_header(spec, trial.header, with_number(trial.varied, number));
  return spec;
}

std::string identity_text(std::span<const IdentityFinding> findings) {
  if (findings.empty()) return {};
  std::string text = "does it make another client?\n";
  std::size_t width = 0;
  for (const IdentityFinding& one : findings)
    width = std::max(width, std::string_view(one.trial->name).size());
  for (const IdentityFinding& one : findings)
    text += fmt::format("  {:<{}}  {}\n", one.trial->name, width,
                        kSentences[static_cast<std::size_t>(one.answer)]);
  return text;
}

}  // namespace rlctl
