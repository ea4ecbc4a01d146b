// Which limiters of a whole Redis are chosen, compared with a plain sort of all of them.
#include "inspect/survey.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/random.h"

using namespace rlctl;

namespace {

using Names = std::vector<std::string>;

KeyState key_of(const std::string& name, std::int64_t ttl_ms = 60'000) {
  KeyState state;
  state.key = name;
  state.type_name = "string";
  state.type = StateType::string;
  state.ttl_ms = ttl_ms;
  state.value = "1";
  return state;
}

KeyReading counted(double used) {
  KeyReading reading;
  reading.shape = Shape::counter;
  reading.used = used;
  return reading;
}

const Layouts layouts;

Names names_of(const Survey& survey) {
  Names names;
  for (const Survey::Chosen& chosen : survey.chosen()) names.push_back(chosen.name);
  return names;
}

// The names of the `most` greatest, sorted.
Names greatest(const std::map<std::string, double>& uses, std::size_t most) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, used] : uses) order.emplace_back(-used, name);
  std::ranges::sort(order);
  order.resize(std::min(order.size(), most));
  Names names;
  for (const auto& [used, name] : order) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("the most used limiters are chosen, in whatever order their keys come, and twice") {
  const char* const endings[] = {"", ":minute", ":hour"};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::size_t most = random.below(6);
    Survey survey({}, most, layouts);
    std::map<std::string, double> uses;
    for (std::uint64_t i = random.below(60); i > 0; --i) {
      const std::string name = "u" + std::to_string(random.below(12));
      const auto used = static_cast<double>(random.below(8));
      survey.add(key_of(name + endings[random.below(3)]), counted(used), 0);
      const auto [entry, is_new] = uses.try_emplace(name, used);
      if (!is_new) entry->second = std::max(entry->second, used);
    }
    CHECK(names_of(survey) == greatest(uses, most));
    CHECK(survey.limiters() == static_cast<std::int64_t>(uses.size()));
  }
}

TEST_CASE("blocked limiters are chosen before the most used, with the key beside their flag") {
  for (const bool flag_first : {true, false}) {
    Survey survey({}, 2, layouts);
    if (flag_first) survey.add(key_of("dave:blocked"), {}, 0);
    for (int i = 0; i < 60; ++i) survey.add(key_of("u" + std::to_string(i)), counted(i), 0);
    survey.add(key_of("dave:minute"), counted(1), 0);
    if (!flag_first) survey.add(key_of("dave:blocked"), {}, 0);
    CHECK(names_of(survey) == Names{"dave", "u59"});
    CHECK(survey.chosen().front().key == (flag_first ? "dave:minute" : "dave:blocked"));
    CHECK(survey.limiters() == 61);
  }
}

TEST_CASE("a key counts once however often SCAN returns it") {
  Survey survey({}, 10, layouts);
  for (int i = 0; i < 2; ++i) survey.add(key_of("a"), counted(1), 0);
  for (int i = 0; i < 2; ++i) survey.add(key_of("session"), {}, 0);
  CHECK(survey.limiters() == 1);
  CHECK(survey.other_keys() == 1);
}

TEST_CASE("all limiters that are stuck or blocked are chosen, however many are shown") {
  Survey stuck({.stuck = true, .blocked = false}, 1, layouts),
      blocked({.stuck = false, .blocked = true}, 1, layouts);
  for (Survey* survey : {&stuck, &blocked}) {
    survey->add(key_of("a", kNoExpiry), counted(1), 0);
    survey->add(key_of("b"), counted(9), 0);
    survey->add(key_of("c:blocked", kNoExpiry), {}, 0);
    survey->add(key_of("d:blocked"), {}, 0);
  }
  CHECK(names_of(stuck) == Names{"a", "c"});
  CHECK(names_of(blocked) == Names{"c", "d"});
  CHECK(stuck.limiters() == 2);
}

TEST_CASE("a key that can't be read counts once and is listed, and a flag blocks all the same") {
  KeyState flag = key_of("a:blocked"), key = key_of("b", kNoExpiry);
  flag.problem = key.problem =
      "NOPERM this user has no permissions to run the 'getrange' command\x1b";
  for (const Wanted wanted : {Wanted{}, Wanted{.stuck = true}, Wanted{.blocked = true}}) {
    Survey survey(wanted, 10, layouts);
    for (int i = 0; i < 2; ++i) survey.add(flag, {}, 0);
    survey.add(key, {}, 0);
    survey.add(key_of("c"), counted(1), 0);
    CHECK(survey.unread().in_words() ==
          "2 keys can't be read: NOPERM this user has no permissions to run the 'getrange' "
          "command\\x1b (this grants it: ACL SETUSER NAME +getrange)");
    const Names shown = wanted.blocked ? Names{"a"} : Names{};
    CHECK(names_of(survey) == (wanted.any() ? Names{"a", "b", "c"} : shown));
  }
  CHECK(Survey({}, 10, layouts).unread().in_words().empty());
}
