// Where the requests of a run go: a Redis or an HTTP service, and how its answers are read. Plain
// values; times are µs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/words.h"

namespace rlctl {

enum class TargetKind : std::uint8_t { embedded, redis, http, serve };
inline constexpr Word<TargetKind> kTargetKindWords[] = {{"embedded", TargetKind::embedded},
                                                        {"redis", TargetKind::redis},
                                                        {"http", TargetKind::http},
                                                        {"serve", TargetKind::serve}};
constexpr std::span<const Word<TargetKind>> words_of(TargetKind) { return kTargetKindWords; }

// What `serve` does while its Redis does not answer.
enum class OnError : std::uint8_t { open, closed };
inline constexpr Word<OnError> kOnErrorWords[] = {{"open", OnError::open},
                                                  {"closed", OnError::closed}};
constexpr std::span<const Word<OnError>> words_of(OnError) { return kOnErrorWords; }

// Which of several targets a request goes to. A client always asks the same one, as behind a load
// balancer that hashes addresses.
enum class TargetSpread : std::uint8_t { round, random, client };
inline constexpr Word<TargetSpread> kTargetSpreadWords[] = {{"round", TargetSpread::round},
                                                            {"random", TargetSpread::random},
                                                            {"client", TargetSpread::client}};
constexpr std::span<const Word<TargetSpread>> words_of(TargetSpread) { return kTargetSpreadWords; }

// A client lets a request in when so many replicas have confirmed (WAIT) that they know of the
// admission; otherwise a failover may forget it.
struct ReplicaWait {
  std::int64_t replicas = 0;  // 0: it asks none
  std::int64_t timeout_us = 100'000;
};

// A record has 6 bits for its target.
inline constexpr std::size_t kMostTargets = 64;

// A value to keep from an answer, for the words <NAME> of later requests.
struct CaptureSpec {
  std::string name;
  std::string from;  // policy/answer_place.h
};

// A request that each client sends before its first one. Texts as in TargetSpec.
struct LoginStep {
  std::string url;
  std::string method = "GET";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<CaptureSpec> captures;
  std::int64_t again_us = 0;  // logs in again when it is so old; 0: never
};

// A descriptor of Envoy's rate limit service: its entries, keys and values, in order.
using RlsDescriptor = std::vector<std::pair<std::string, std::string>>;

// The texts of url, body, headers and descriptors contain words (policy/request_text.h). They are
// kept as they were written, so that no value of the environment can get into a report.
struct TargetSpec {
  TargetKind kind = TargetKind::embedded;
  std::string url;  // redis, http; of http also rls:// and rlss://: Envoy's rate limit service
  std::string method = "GET";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string domain;                       // rls
  std::vector<RlsDescriptor> descriptors;   // rls
  std::vector<LoginStep> login;             // in order; empty: clients need none
  std::vector<std::string> allowed{"2xx"};  // statuses: 200 or 2xx
  std::vector<std::string> denied{"429"};
  std::string cost_from;   // where an answer says what was used (policy/answer_place.h)
  std::string source_ip;   // a template, an address or a CIDR; empty: the kernel chooses
  std::string own_target;  // the host that the user claims to own
  bool http2 = false;
  OnError on_error = OnError::closed;        // serve: if its Redis does not answer
  std::vector<std::string> trusted_proxies;  // serve: CIDRs whose X-Forwarded-For is trusted
  std::int64_t timeout_us = 2'000'000;
};

// The names of all values that a login captures.
std::vector<std::string> captured_names(const std::vector<LoginStep>& login);

// Whether each client has a source address of its own.
bool has_addresses_of_clients(const TargetSpec& spec);

// Why a method can't be sent; empty: it can.
std::optional<Error> method_problem(const std::string& method);
// The method of a request that names none.
constexpr const char* default_method(bool has_body) { return has_body ? "POST" : "GET"; }

// Whether a URL is that of Envoy's rate limit service, which is asked by gRPC; rlss: over TLS.
bool is_rls(std::string_view url);
// What is missing in the description of such a target, or does not fit it.
std::optional<Error> rls_problem(const TargetSpec& spec);
// "user=<user>,path=/api". Throws Error(Exit::usage) for what is no descriptor.
RlsDescriptor parse_descriptor(const std::string& text);
std::string descriptor_text(const RlsDescriptor& descriptor);

// What is wrong with several targets, if anything: too many, or one of them twice.
std::optional<Error> unusable_targets(const std::vector<std::string>& urls);

}  // namespace rlctl
