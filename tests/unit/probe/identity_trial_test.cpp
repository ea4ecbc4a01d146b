// The requests of the identity trials: one part is changed, the rest stays.
#include "probe/identity_trial.h"

#include <doctest/doctest.h>

#include <set>

using namespace rlctl;

namespace {

const IdentityTrial& trial_of(const std::string& name) {
  for (const IdentityTrial& trial : identity_trials())
    if (trial.name == name) return trial;
  REQUIRE_MESSAGE(false, "no trial " << name);
  return identity_trials().front();
}

std::string header_of(const TargetSpec& spec) {
  REQUIRE(spec.headers.size() == 1);
  return spec.headers.front().first + ": " + spec.headers.front().second;
}

}  // namespace

TEST_CASE("an identity trial of a prefix changes only what is behind the prefix") {
  const IdentityTrial narrow = trial_of("X-Forwarded-For, an IPv6 address of the same /64");
  CHECK(header_of(unchanged_request({}, narrow)) == "X-Forwarded-For: 2001:db8:1:1::1");
  CHECK(header_of(changed_request({}, narrow, 99)) == "X-Forwarded-For: 2001:db8:1:1::99");
  const IdentityTrial wide = trial_of("X-Forwarded-For, an IPv6 address of the same /48");
  CHECK(header_of(unchanged_request({}, wide)) == "X-Forwarded-For: 2001:db8:3:100::1");
  CHECK(header_of(changed_request({}, wide, 99)) == "X-Forwarded-For: 2001:db8:3:9900::1");
}

TEST_CASE("each identity trial changes the request, and twice in different ways") {
  REQUIRE(identity_trials().size() > 10);
  for (const IdentityTrial& trial : identity_trials()) {
    CAPTURE(trial.name);
    if (trial.name == std::string(kNewConnection)) continue;
    std::set<std::string> requests;
    for (const TargetSpec& one : {unchanged_request({}, trial), changed_request({}, trial, 2),
                                  changed_request({}, trial, 3)})
      requests.insert(one.url + one.source_ip +
                      (one.headers.empty() ? "" : one.headers.front().second));
    CHECK(requests.size() == 3);
  }
}
