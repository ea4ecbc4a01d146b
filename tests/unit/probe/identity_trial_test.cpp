// The requests of the identity trials: one part is changed, the rest stays.
#include "probe/identity_trial.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace rlctl;

namespace {

const std::vector<std::string> kSources{"127.0.9.1", "127.0.9.2", "127.0.9.3"};

TargetSpec with_headers(std::vector<std::pair<std::string, std::string>> headers) {
  TargetSpec spec;
  spec.url = "http://127.0.0.1/";
  spec.headers = std::move(headers);
  return spec;
}

IdentityTrial trial_of(const TargetSpec& spec, const std::string& name) {
  for (const IdentityTrial& trial : identity_trials(spec, kSources).trials)
    if (trial.name == name) return trial;
  REQUIRE_MESSAGE(false, "no trial " << name);
  return {};
}

bool has_trial(const TargetSpec& spec, const std::string& name) {
  const std::vector<IdentityTrial> trials = identity_trials(spec, kSources).trials;
  return std::ranges::find(trials, name, &IdentityTrial::name) != trials.end();
}

std::string why_left_out(const TargetSpec& spec, const std::string& name) {
  for (const PartLeftOut& one : identity_trials(spec, kSources).left_out)
    if (one.name == name) return one.why;
  return {};
}

std::string header_of(const TargetSpec& spec) {
  REQUIRE(spec.headers.size() == 1);
  return spec.headers.front().first + ": " + spec.headers.front().second;
}

std::string four_times(const std::string& address) {
  return "X-Forwarded-For: " + address + ", " + address + ", " + address + ", " + address;
}

}  // namespace

TEST_CASE("an identity trial of a prefix changes only what is behind the prefix") {
  struct Prefix {
    const char* name;
    const char* base;
    const char* varied;
  };
  const Prefix prefixes[] = {{"128, written otherwise", "2001:db8:4:1::1:1", "2001:db8:4:1::01:1"},
                             {"64", "2001:db8:1:1::1", "2001:db8:1:1::99"},
                             {"56", "2001:db8:2:1::1", "2001:db8:2:99::1"},
                             {"48", "2001:db8:3:100::1", "2001:db8:3:9900::1"},
                             {"32", "2001:db8:5::1", "2001:db8:9900::1"}};
  for (const Prefix& prefix : prefixes) {
    const IdentityTrial trial =
        trial_of({}, std::string("X-Forwarded-For, an IPv6 address of the same /") + prefix.name);
    CHECK(header_of(unchanged_request({}, trial)) == four_times(prefix.base));
    CHECK(header_of(changed_request({}, trial, 99, {})) == four_times(prefix.varied));
  }
}

TEST_CASE("each address of X-Forwarded-For has a trial, counted from both ends") {
  const std::string base = "X-Forwarded-For, its ";
  const IdentityTrial second = trial_of({}, base + "3rd address (2nd from the right)");
  CHECK(header_of(unchanged_request({}, second)) ==
        "X-Forwarded-For: 192.0.2.31, 192.0.2.32, 192.0.2.33, 192.0.2.34");
  CHECK(header_of(changed_request({}, second, 7, {})) ==
        "X-Forwarded-For: 192.0.2.31, 192.0.2.32, 198.51.100.7, 192.0.2.34");
  CHECK(has_trial({}, base + "first address (4th from the right)"));
  CHECK(has_trial({}, base + "2nd address (3rd from the right)"));
  CHECK(has_trial({}, base + "last address"));
}

TEST_CASE("each identity trial changes the request, and three times in different ways") {
  TargetSpec spec = with_headers({{"X-Tenant", "acme"}, {"Cookie", "a=1; theme=dark"}});
  spec.descriptors = {};
  const std::vector<IdentityTrial> trials = identity_trials(spec, kSources).trials;
  REQUIRE(trials.size() > 20);
  for (const IdentityTrial& trial : trials) {
    CAPTURE(trial.name);
    if (trial.part == RequestPart::connection) continue;
    std::set<std::string> requests;
    const auto note = [&](const TargetSpec& one) {
      std::string text = one.url + one.source_ip;
      for (const auto& [name, value] : one.headers) text += "\n" + name + ": " + value;
      requests.insert(text);
    };
    note(unchanged_request(spec, trial));
    for (const int n : {2, 3, 4}) note(changed_request(spec, trial, n, kSources));
    CHECK(requests.size() == 4);
  }
}

TEST_CASE("the user's own headers and cookies are changed one by one, and credentials are not") {
  const TargetSpec spec =
      with_headers({{"X-Tenant", "acme"},
                    {"X-Shard", "7"},
                    {"Authorization", "Bearer ${TOKEN}"},
                    {"Host", "api.test"},
                    {"Content-Type", "text/plain"},
                    {"cookie", "theme=dark; session_id=s3cret; connect.sid=1"}});
  CHECK(changed_request(spec, trial_of(spec, "X-Tenant"), 5, {}).headers.back().second == "acme-5");
  CHECK(changed_request(spec, trial_of(spec, "X-Shard"), 5, {}).headers.back().second == "75");
  CHECK(changed_request(spec, trial_of(spec, "the cookie theme"), 5, {}).headers.back().second ==
        "theme=dark-5; session_id=s3cret; connect.sid=1");
  CHECK(why_left_out(spec, "the cookie session_id").find("credential") != std::string::npos);
  CHECK(why_left_out(spec, "the cookie connect.sid").find("credential") != std::string::npos);
  CHECK(why_left_out(spec, "Authorization").find("credential") != std::string::npos);
  CHECK(why_left_out(spec, "Host") == "it says how the request is to be read");
  CHECK(why_left_out(spec, "Content-Type") == "it says how the request is to be read");
  for (const char* name : {"Authorization", "Cookie", "Host", "cookie"})
    CHECK_FALSE(has_trial(spec, name));
  CHECK(has_trial({}, "Authorization"));
  CHECK(has_trial({}, "Cookie"));
}

TEST_CASE("the entries of a rate limit service's descriptors are changed, and no headers") {
  TargetSpec spec;
  spec.url = "rls://127.0.0.1:1";
  spec.descriptors = {{{"user", "ann"}, {"api_key", "k"}}, {{"path", "/x"}}};
  const TargetSpec changed =
      changed_request(spec, trial_of(spec, "the descriptor's entry user"), 3, {});
  CHECK(changed.descriptors ==
        std::vector<RlsDescriptor>{{{"user", "ann-3"}, {"api_key", "k"}}, {{"path", "/x"}}});
  CHECK(has_trial(spec, "the descriptor's entry api_key"));
  CHECK_FALSE(has_trial(spec, "User-Agent"));
}

TEST_CASE("without another address, the source address is left out, and said so") {
  CHECK(identity_trials({}, {}).left_out.front().name == "another source address");
  TargetSpec spec;
  spec.source_ip = "127.0.0.7";
  CHECK(why_left_out(spec, "another source address") == "--source-ip gives it");
}

TEST_CASE("names of the user's request are escaped, and repetitions are told") {
  IdentityFinding found{{.name = "X\x1b"}, QuotaAnswer::fresh, 2};
  CHECK(identity_text({&found, 1}, {}) ==
        "does it make another client?\n  X\\x1b  YES: a new value has a fresh quota (2 times)\n"
        "  YES: who can choose such a value freely evades the limit\n");
}

TEST_CASE("parts that are not changed for one reason are one line") {
  const std::vector<PartLeftOut> left_out{
      {"a", "no requests"}, {"b", "a secret"}, {"c", "no requests"}, {"d", "no requests"}};
  CHECK(identity_text({}, left_out) ==
        "not changed: a and 2 other parts: no requests\nnot changed: b: a secret\n");
}
