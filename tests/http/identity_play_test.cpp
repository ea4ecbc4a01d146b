// Who is a client to a service that ends while it is asked.
#include "run/probe/identity_play.h"

#include <doctest/doctest.h>

#include <atomic>

#include "base/text.h"
#include "http/peer.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// It denies everybody, until it is asked with this header.
Peer denies_until(const char* header, std::atomic<bool>& has_ended) {
  return Peer([&has_ended, header](PeerConnection& connection) {
    while (connection.read_request()) {
      if (connection.request().find(header) != std::string::npos) has_ended = true;
      if (has_ended || !connection.write(response(429))) return;
    }
  });
}

IdentityPlan plan_for(const Peer& peer) {
  IdentityPlan plan;
  plan.spec.kind = TargetKind::http;
  plan.spec.url = peer.url();
  HttpSettings settings;
  settings.timeout_us = 20'000'000;
  plan.settings = http_settings_for(http_target_from(plan.spec), settings);
  plan.pace.limiter = "the service";
  plan.most_requests = 1'000;
  return plan;
}

}  // namespace

TEST_CASE("a service that ends between two trials is asked five times more, and then told") {
  std::atomic<bool> has_ended = false;
  const Peer peer = denies_until("Forwarded: ", has_ended);
  Loop loop;
  IdentityPlay play(loop, plan_for(peer));
  const std::vector<IdentityFinding> findings = loop.run(play.play());
  REQUIRE(play.lost());
  CHECK(play.lost()->exit() == Exit::target);
  CHECK(std::string(play.lost()->what())
            .starts_with("while requests were sent to find out who is a client, the service "));
  REQUIRE(!findings.empty());
  for (const IdentityFinding& one : findings) {
    CHECK(one.trial.name != "Forwarded");
    CHECK(one.answer == QuotaAnswer::same);
  }
  // Each trial fills it with two requests, and asks one that is changed and one that is not.
  CHECK(play.requests() == 4 * (std::ssize(findings) + 1) + 5);
}

TEST_CASE("a service that gives no decision to one kind of request is not lost") {
  const Peer peer([](PeerConnection& connection) {
    while (connection.read_request()) {
      const bool has_it = connection.request().find("X-Real-IP: ") != std::string::npos;
      if (!connection.write(response(has_it ? 400 : 429))) return;
    }
  });
  Loop loop;
  IdentityPlay play(loop, plan_for(peer));
  const std::vector<IdentityFinding> findings = loop.run(play.play());
  CHECK(!play.lost());
  const auto real_ip = std::ranges::find_if(
      findings, [](const IdentityFinding& one) { return one.trial.name == "X-Real-IP"; });
  REQUIRE(real_ip != findings.end());
  CHECK(real_ip->answer == QuotaAnswer::no_decision);
  CHECK(findings.back().answer == QuotaAnswer::same);
}
