// Envoy's rate limit service as a target: what a server says that answers as it likes.
#include <doctest/doctest.h>

#include <string>

#include "base/error.h"
#include "http/http_spec.h"
#include "http/peer.h"
#include "limiter/http_limiter.h"
#include "tools/h2_frames.h"

using namespace rlctl;
using namespace rlctl::test;
using namespace std::string_literals;

namespace {

// The value ends like a head, so that a peer knows when it has the whole request.
TargetSpec asking(const std::string& http_url) {
  TargetSpec spec = spec_for("rls" + http_url.substr(http_url.find("://")));
  spec.domain = "api";
  spec.descriptors = {{{"user", "\r\n\r\n"}}};
  return spec;
}

Task<Decision> ask_once(HttpLimiter& limiter) { co_return co_await limiter.decide({}); }

Decision decided(const TargetSpec& spec) {
  const HttpTarget target = http_target_from(spec);
  HttpSettings settings;
  settings.timeout_us = 20'000'000;
  settings = http_settings_for(target, settings);
  Loop loop;
  const auto client = make_http_client(loop, settings);
  RequestNumbers numbers;
  HttpLimiter limiter(*client, target, numbers);
  return loop.run(ask_once(limiter));
}

Decision answered(const std::string& frames) {
  const Peer peer([&](PeerConnection& connection) {
    // The two parts of the preface, and the request.
    if (!connection.read_request() || !connection.read_request()) return;
    connection.write(settings());
    if (connection.read_request()) connection.write(frames);
    connection.hang();
  });
  return decided(asking(peer.url()));
}

const std::string kHead = headers(1, {{":status", "200"}, {"content-type", "application/grpc"}});
const std::string kOkTrailers = headers(1, {{"grpc-status", "0"}}, kEndStream);

std::string why_unknown(const std::string& frames) {
  const Decision decision = answered(frames);
  CHECK(decision.outcome == Outcome::unknown);
  CHECK(decision.status == 0);
  CHECK(decision.remaining == -1);
  return decision.problem;
}

bool is_refused(const TargetSpec& spec, const HttpSettings& settings = {}) {
  try {
    http_settings_for(http_target_from(spec), settings);
    return false;
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return true;
  }
}

}  // namespace

TEST_CASE("the message of a rate limit service says what was decided") {
  const Decision ok =
      answered(kHead + data(1, "\0\0\0\0\x08\x08\x01\x12\x04\x08\x01\x18\x09"s) + kOkTrailers);
  CHECK(ok.problem == "");
  CHECK(ok.outcome == Outcome::allowed);
  CHECK(ok.remaining == 9);
  const Decision over =
      answered(kHead + data(1, "\0\0\0\0\x0A"s) +
               data(1, "\x08\x02\x12\x06\x08\x02\x22\x02\x08\x07"s) + kOkTrailers);
  CHECK(over.problem == "");
  CHECK(over.outcome == Outcome::denied);
  CHECK(over.remaining == 0);
  CHECK(over.retry_after_us == 7'000'000);
}

TEST_CASE("what a rate limit service did not decide is unknown, in words") {
  const std::string ok = data(1, "\0\0\0\0\x02\x08\x01"s);
  CHECK(why_unknown(headers(1, {{":status", "200"}, {"grpc-status", "14"}, {"grpc-message", "no"}},
                            kEndStream)) == "gRPC status 14 (UNAVAILABLE): no");
  CHECK(why_unknown(kHead + ok + headers(1, {{"grpc-status", "13"}}, kEndStream)) ==
        "gRPC status 13 (INTERNAL)");
  CHECK(why_unknown(kHead + ok + data(1, "", kEndStream)) == "the answer has no gRPC status");
  CHECK(why_unknown(kHead + kOkTrailers) == "the answer is no RateLimitResponse: it is cut short");
  CHECK(why_unknown(kHead + data(1, "\0\0\0\0\x00"s) + kOkTrailers) ==
        "the answer's code is UNKNOWN, which is neither OK nor OVER_LIMIT");
  CHECK(why_unknown(headers(1, {{":status", "503"}}, kEndStream)) ==
        "HTTP status 503, so no rate limit service is there");
  CHECK(why_unknown(kHead + ok + reset(1, 11)) == "the server ended the stream: ENHANCE_YOUR_CALM");
}

TEST_CASE("a rate limit service that is not there, or that refuses, has certainly not counted") {
  const Decision refused = decided(asking("http://127.0.0.1:1"));
  CHECK(refused.outcome == Outcome::failed);
  CHECK(refused.problem.find("refused") != std::string::npos);
}

TEST_CASE("a rate limit service is asked by its own method, with its own headers") {
  TargetSpec spec = asking("http://127.0.0.1:8081/");
  spec.descriptors = {{{"user", "<user>"}, {"path", "/"}}};
  spec.headers = {{"authorization", "Bearer <n>"}};
  const HttpTarget target = http_target_from(spec);
  CHECK(target.varies_with_client);
  CHECK(tells_clients_apart(spec));
  RequestValues ann{{"", "ann", 7}};
  ann.cost = 5;
  const HttpQuestion question = target.request_for(ann);
  CHECK(question.url ==
        "http://127.0.0.1:8081/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit");
  CHECK(question.method == "POST");
  CHECK(question.headers == std::vector<std::string>{"content-type: application/grpc",
                                                     "te: trailers", "authorization: Bearer 7"});
  CHECK(question.body ==
        "\0\0\0\0\x21\x0A\x03"
        "api\x12\x18\x0A\x0B\x0A\x04user\x12\x03"
        "ann"
        "\x0A\x09\x0A\x04path\x12\x01/\x18\x05"s);
  const HttpSettings settings = http_settings_for(target, {});
  CHECK(settings.http2);
  CHECK(settings.kept_body_bytes > 0);
  spec.url = "rlss://127.0.0.1";
  CHECK(http_target_from(spec).request_for(ann).url.starts_with("https://127.0.0.1/envoy."));
  spec.url = "${RLS}";
  const HttpTarget named = http_target_from(
      spec, [](std::string_view) { return std::optional("rls://127.0.0.1:8081"s); });
  CHECK(named.request_for(ann).url == question.url);
  CHECK(named.request_for(ann).method == "POST");
  CHECK(named.url.shown == "${RLS}");
}

TEST_CASE("a mistake in a rate limit target is found before anything is sent") {
  const TargetSpec right = asking("http://127.0.0.1:8081");
  CHECK_FALSE(is_refused(right));
  const auto changed = [&](auto change) {
    TargetSpec spec = right;
    change(spec);
    return spec;
  };
  for (const auto& wrong : {changed([](TargetSpec& spec) { spec.domain.clear(); }),
                            changed([](TargetSpec& spec) { spec.descriptors.clear(); }),
                            changed([](TargetSpec& spec) { spec.descriptors.push_back({}); }),
                            changed([](TargetSpec& spec) {
                              spec.descriptors = {{{"", "x"}}};
                            }),
                            changed([](TargetSpec& spec) { spec.url += "/path"; }),
                            changed([](TargetSpec& spec) { spec.url = "rls://"; }),
                            changed([](TargetSpec& spec) { spec.url = "http://127.0.0.1/"; }),
                            changed([](TargetSpec& spec) { spec.method = "PUT"; }),
                            changed([](TargetSpec& spec) { spec.body = "x"; }),
                            changed([](TargetSpec& spec) { spec.allowed = {"200"}; }),
                            changed([](TargetSpec& spec) { spec.denied = {"403"}; }),
                            changed([](TargetSpec& spec) { spec.cost_from = "header x"; }),
                            changed([](TargetSpec& spec) { spec.domain = "<who>"; })})
    CHECK(is_refused(wrong));
  HttpSettings curl;
  curl.engine = HttpEngine::curl;
  CHECK(is_refused(right, curl));
}
