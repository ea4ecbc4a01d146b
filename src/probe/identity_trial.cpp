#include "probe/identity_trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"

namespace rlctl {
namespace {

constexpr const char* kForwardedFor = "X-Forwarded-For";
constexpr const char* kFourAddresses = "X-Forwarded-For, 4 addresses";

// Parts that every service may look at. Addresses of documentation (RFC 5737) belong to nobody.
struct UsualHeader {
  const char* name;
  const char* varied;
};
constexpr UsualHeader kUsualHeaders[] = {{"X-Real-IP", "198.51.100.{n}"},
                                         {"Forwarded", "for=198.51.100.{n}"},
                                         {"CF-Connecting-IP", "198.51.100.{n}"},
                                         {"True-Client-IP", "198.51.100.{n}"},
                                         {"X-Client-IP", "198.51.100.{n}"},
                                         {"X-Api-Key", "rlctl-probe-{n}"},
                                         {"Authorization", "Bearer rlctl-probe-{n}"},
                                         {"Cookie", "session=rlctl-probe-{n}"},
                                         {"User-Agent", "rlctl-probe-{n}"}};

// Addresses of one network of this size, out of 2001:db8::/32, which is for documentation (RFC
// 3849). All that differ are in the network of the row before it, if it has the same base.
struct Prefix {
  int bits;
  const char* what;
  const char* base;
  const char* varied;
};
constexpr Prefix kPrefixes[] = {
    {128, ", written otherwise", "2001:db8:4:1::1:1", "2001:db8:4:1::{zeros}1:1"},
    {64, "", "2001:db8:1:1::1", "2001:db8:1:1::{n}"},
    {56, "", "2001:db8:2:1::1", "2001:db8:2:{n}::1"},
    {48, "", "2001:db8:3:100::1", "2001:db8:3:{n}00::1"},
    {32, "", "2001:db8:5::1", "2001:db8:{n}00::1"}};

// What says how a request is to be read, and by whom.
constexpr const char* kReadingHeaders[] = {
    "host",  "connection",        "transfer-encoding", "te", "expect", "upgrade", "trailer", "date",
    "range", "sec-websocket-key", "proxy-connection"};

constexpr const char* kSentences[] = {"no: the same quota", "YES: a new value has a fresh quota",
                                      "not decided: there was room again too soon",
                                      "not decided: neither admitted nor denied",
                                      "not decided: once a fresh quota, once not"};

using Header = std::pair<std::string, std::string>;

void set_header(TargetSpec& spec, const std::string& name, const std::string& value) {
  std::erase_if(spec.headers,
                [&](const Header& one) { return equals_ignoring_case(one.first, name); });
  spec.headers.emplace_back(name, value);
}

std::string replaced(std::string text, std::string_view word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

std::string with_number(const std::string& text, int n) {
  // Zeros in front of a group of an IPv6 address; three tries write it in three ways.
  const std::string zeros(static_cast<std::size_t>(1 + n % 3), '0');
  return replaced(replaced(text, "{n}", std::to_string(n)), "{zeros}", zeros);
}

// Another value of the same looks: 7 is a number, and stays one.
std::string varied_of(const std::string& value) {
  const bool is_number = !value.empty() && std::ranges::all_of(value, is_digit);
  return value + (is_number ? "{n}" : "-{n}");
}

bool has_header(const TargetSpec& spec, std::string_view name) {
  return std::ranges::any_of(
      spec.headers, [&](const Header& one) { return equals_ignoring_case(one.first, name); });
}

bool is_credential(const std::string& name) {
  return without_secret(name, "x", three_dots) != "x" || lower_case(name).ends_with("sid");
}

// The cookies of a header, as name and value.
std::vector<Header> cookies_of(std::string_view header) {
  std::vector<Header> cookies;
  for (const std::string& part : split(header, ';')) {
    std::string_view rest = trimmed(part);
    const std::string name{take_until(rest, '=')};
    if (!name.empty()) cookies.emplace_back(name, rest);
  }
  return cookies;
}

void set_cookie(TargetSpec& spec, const std::string& name, const std::string& value) {
  for (Header& header : spec.headers) {
    if (!equals_ignoring_case(header.first, "cookie")) continue;
    std::vector<std::string> cookies;
    for (const Header& one : cookies_of(header.second))
      cookies.push_back(one.first + "=" + (one.first == name ? value : one.second));
    header.second = joined(cookies, "; ");
  }
}

// The trials of one request, in the order in which they are played.
class TrialList {
 public:
  TrialList(const TargetSpec& spec, std::span<const std::string> sources)
      : spec_(spec), sources_(sources) {}

  IdentityTrials list() && {
    list_.trials.push_back({.name = "a new connection", .part = RequestPart::connection});
    add_source_address();
    for (const RlsDescriptor& descriptor : spec_.descriptors)
      for (const auto& [key, value] : descriptor)
        add_own("the descriptor's entry " + key, RequestPart::descriptor, key, value);
    if (!spec_.descriptors.empty()) return std::move(list_);
    for (const Header& header : spec_.headers) add_own_header(header);
    add_forwarded_for();
    for (const UsualHeader& header : kUsualHeaders) add_usual(header);
    list_.trials.push_back({.name = "the query string", .part = RequestPart::query});
    return std::move(list_);
  }

 private:
  void leave_out(const std::string& name, std::string why) {
    list_.left_out.push_back({name, std::move(why)});
  }

  void add_source_address() {
    const std::string name = "another source address";
    if (!spec_.source_ip.empty()) return leave_out(name, "--source-ip gives it");
    if (sources_.empty())
      return leave_out(name, "this machine has no other address that reaches the service");
    list_.trials.push_back({.name = name, .part = RequestPart::source_address});
  }

  // A part that the user's request has.
  void add_own(const std::string& name, RequestPart part, const std::string& where,
               const std::string& value) {
    // A rate limit service counts by it, and lets nobody in.
    if (part != RequestPart::descriptor && is_credential(where))
      return leave_out(name, "its name is that of a credential, and another one may be refused");
    list_.trials.push_back(
        {.name = name, .part = part, .where = where, .varied = varied_of(value)});
  }

  void add_own_header(const Header& header) {
    const auto& [name, value] = header;
    const auto is_it = [&](std::string_view other) { return equals_ignoring_case(name, other); };
    if (is_it("cookie")) {
      for (const auto& [cookie, of_cookie] : cookies_of(value))
        add_own("the cookie " + cookie, RequestPart::cookie, cookie, of_cookie);
      return;
    }
    const bool is_usual =
        std::ranges::any_of(kUsualHeaders, [&](const UsualHeader& one) { return is_it(one.name); });
    if (is_it(kForwardedFor) || (is_usual && !is_credential(name))) return;
    if (std::ranges::any_of(kReadingHeaders, is_it) || lower_case(name).starts_with("content-"))
      return leave_out(name, "it says how the request is to be read");
    add_own(name, RequestPart::header, name, value);
  }

  void add_usual(const UsualHeader& header) {
    if (is_credential(header.name) && has_header(spec_, header.name)) return;
    list_.trials.push_back({.name = header.name, .where = header.name, .varied = header.varied});
  }

  // A service behind n proxies takes the n-th address from the right.
  void add_forwarded_for() {
    const auto add = [&](std::string name, std::string base, std::string varied,
                         const char* after) {
      list_.trials.push_back({.name = kForwardedFor + std::move(name),
                              .where = kForwardedFor,
                              .base = std::move(base),
                              .varied = std::move(varied),
                              .only_after = after});
    };
    const auto list_of = [](int place, const std::string& address, int network) {
      std::vector<std::string> addresses;
      for (int i = 1; i <= 4; ++i)
        addresses.push_back(place == i || place == 0 ? address
                                                     : fmt::format("192.0.2.{}", 10 * network + i));
      return joined(addresses);
    };
    add("", "", "198.51.100.{n}", "");
    add(", 4 addresses", "", list_of(0, "198.51.100.{n}", 0), "");
    const char* const places[] = {"its first address (4th from the right)",
                                  "its 2nd address (3rd from the right)",
                                  "its 3rd address (2nd from the right)", "its last address"};
    for (int place = 1; place <= 4; ++place)
      add(fmt::format(", {}", places[place - 1]), list_of(5, "", place),
          list_of(place, "198.51.100.{n}", place), kFourAddresses);
    for (const Prefix& prefix : kPrefixes)
      add(fmt::format(", an IPv6 address of the same /{}{}", prefix.bits, prefix.what),
          list_of(0, prefix.base, 0), list_of(0, prefix.varied, 0), kFourAddresses);
  }

  const TargetSpec& spec_;
  std::span<const std::string> sources_;
  IdentityTrials list_;
};

}  // namespace

IdentityTrials identity_trials(const TargetSpec& spec, std::span<const std::string> sources) {
  return TrialList(spec, sources).list();
}

TargetSpec unchanged_request(TargetSpec spec, const IdentityTrial& trial) {
  if (!trial.base.empty()) set_header(spec, trial.where, trial.base);
  return spec;
}

TargetSpec changed_request(TargetSpec spec, const IdentityTrial& trial, int n,
                           std::span<const std::string> sources) {
  const std::string value = with_number(trial.varied, n);
  switch (trial.part) {
    case RequestPart::connection:
      break;
    case RequestPart::source_address:
      spec.source_ip = sources[static_cast<std::size_t>(n) % sources.size()];
      break;
    case RequestPart::header:
      set_header(spec, trial.where, value);
      break;
    case RequestPart::cookie:
      set_cookie(spec, trial.where, value);
      break;
    case RequestPart::descriptor:
      for (RlsDescriptor& descriptor : spec.descriptors)
        for (auto& [key, of_key] : descriptor)
          if (key == trial.where) of_key = value;
      break;
    case RequestPart::query:
      spec.url.resize(std::min(spec.url.find('#'), spec.url.size()));
      spec.url += (spec.url.find('?') == std::string::npos ? "?" : "&");
      spec.url += "rlctl-probe=" + std::to_string(n);
      break;
  }
  return spec;
}

namespace {

bool evades(const IdentityFinding& finding) { return finding.answer == QuotaAnswer::fresh; }

}  // namespace

std::string identity_text(std::span<const IdentityFinding> findings,
                          std::span<const PartLeftOut> left_out) {
  std::string text;
  std::size_t width = 0;
  std::vector<IdentityFinding> worst_first(findings.begin(), findings.end());
  std::ranges::stable_partition(worst_first, evades);
  for (const IdentityFinding& one : findings)
    width = std::max(width, escape_for_terminal(one.trial.name).size());
  for (const IdentityFinding& one : worst_first)
    text += fmt::format("  {:<{}}  {}{}\n", escape_for_terminal(one.trial.name), width,
                        kSentences[static_cast<std::size_t>(one.answer)],
                        one.times > 0 ? fmt::format(" ({})", counted(one.times, "time")) : "");
  if (!text.empty()) text.insert(0, "does it make another client?\n");
  if (std::ranges::any_of(findings, evades))
    text += "  YES: who can choose such a value freely evades the limit\n";
  std::vector<std::string> told;
  for (const PartLeftOut& one : left_out) {
    if (std::ranges::find(told, one.why) != told.end()) continue;
    told.push_back(one.why);
    const auto same = std::ranges::count(left_out, one.why, &PartLeftOut::why);
    text += fmt::format("not changed: {}{}: {}\n", escape_for_terminal(one.name),
                        same > 1 ? " and " + counted(same - 1, "other part") : "", one.why);
  }
  return text;
}

}  // namespace rlctl
