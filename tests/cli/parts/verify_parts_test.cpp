// A log that is judged by parts of its keys: with a bound on memory, or by several machines. The
// answer must be that of verify on the whole log.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/support/verify_fixture.h"

using OrderedJson = nlohmann::ordered_json;

namespace {

// Wrong for some keys, by too many admissions and by false denials. Of 400 keys one has half of
// all.
std::string mixed_log(int records) {
  std::string text;
  for (int i = 0; i < records; ++i) {
    const int draw = static_cast<int>((i * 7919LL) % 1'000);
    const std::string key = "user:" + std::to_string(i % 2 == 0 ? 0 : draw % 400);
    text += line(i * 977LL,
                 draw % 5 < 3  ? "allowed"
                 : draw == 999 ? "unknown"
                               : "denied",
                 key.c_str());
  }
  return text;
}

std::string access_log(int records) {
  std::string text;
  for (int i = 0; i < records; ++i)
    text += "10.0.0." + std::to_string(i % 50) +
            " - - [14/Nov/2023:22:" + std::to_string(10 + i / 600 % 50) + ":" +
            std::to_string(10 + i / 12 % 50) + " +0000] \"GET / HTTP/1.1\" " +
            (i % 3 == 0 ? "429" : "200") + " 5 \"-\" \"x\"\n";
  return text;
}

Arguments joined(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The outputs of the machines, the last one first.
Arguments portions(const Folder& folder, const Arguments& how, int count) {
  Arguments files;
  for (int i = count; i > 0; --i) {
    const std::string part = std::to_string(i) + "/" + std::to_string(count);
    const Outcome judged = verify(how, {"--part", part});
    INFO(judged.err);
    REQUIRE(judged.exit == 0);
    files.push_back(folder.write("part" + std::to_string(i) + ".json", judged.out));
  }
  return files;
}

void check_same(const Outcome& by_parts, const Outcome& whole) {
  CHECK(by_parts.out == whole.out);
  CHECK(by_parts.exit == whole.exit);
}

void same_if_spilled(const std::string& log, const Arguments& options) {
  for (const Arguments& output : {Arguments{}, Arguments{"--json"}, Arguments{"--most", "all"},
                                  Arguments{"--json", "--most", "all"}}) {
    const Arguments how = joined(joined({log}, options), output);
    CAPTURE(options.front());
    const Outcome whole = verify(how);
    CHECK(!whole.out.empty());
    const Outcome spilled = verify(how, {"--memory", "32K"});
    check_same(spilled, whole);
    CHECK(contains(spilled.err, "--memory: "));  // one key has half of all
  }
}

void same_if_joined(const Folder& folder, const Arguments& how) {
  const Arguments files = portions(folder, how, 3);
  for (const Arguments& output : {Arguments{}, Arguments{"--json"}})
    check_same(verify(files, output), verify(how, output));
}

std::vector<OrderedJson*> leaves_of(OrderedJson& value) {
  std::vector<OrderedJson*> leaves;
  for (OrderedJson& item : value) {
    if (!item.is_structured())
      leaves.push_back(&item);
    else
      for (OrderedJson* leaf : leaves_of(item)) leaves.push_back(leaf);
  }
  return leaves;
}

}  // namespace

TEST_CASE("verify --memory gives the same answer, whatever the policy") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(8'000));
  for (const char* policy : {"3/1s", "500/1s fixed", "5/1s & 20/1m", "bucket 9 + 10/1s",
                             "4/1s first-hit", "3/1s, block 5s", "50 in flight"})
    same_if_spilled(log, {"--policy", policy, "--fresh"});
}

TEST_CASE("verify --memory gives the same answer for an access log without durations") {
  const Folder folder;
  same_if_spilled(folder.write("access.log", access_log(10'000)),
                  {"--limit", "5", "--window", "1s"});
}

TEST_CASE("verify --part and a join give the same answer") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(5'000));
  const std::string without_durations = folder.write("access.log", access_log(5'000));
  same_if_joined(folder, {log, "--policy", "5/1s & 20/1m", "--contract", "4/1s", "--fresh"});
  same_if_joined(folder, {log, "--policy", "bucket 9 + 10/1s", "--most", "all"});
  same_if_joined(folder, {without_durations, "--limit", "5", "--window", "1s"});
}

TEST_CASE("verify joins the parts of each history of a log") {
  const Folder folder;
  std::string text;
  for (const char* name : {"a", "b"})
    text += R"({"rlctl_log":2,"algorithm":"x","history":")" + std::string(name) +
            R"(","policy":{"rules":[{"kind":"sliding","limit":3,"window_us":1000000}]}})"
            "\n" +
            mixed_log(2'000);
  const std::string log = folder.write("two.jsonl", text + "no record\n");
  const Arguments how{log, "--budget-bad-lines", "5%"};
  const Outcome whole = verify(how, {"--json"});
  CHECK(OrderedJson::parse(whole.out)["histories"].size() == 2);
  CHECK(OrderedJson::parse(whole.out)["bad_lines"] == 1);
  check_same(verify(portions(folder, how, 2), {"--json"}), whole);
}

TEST_CASE("verify joins parts with keys that are not UTF-8") {
  const Folder folder;
  std::string text = "time,key,status\n";
  for (int i = 0; i < 9; ++i) text += "170000000" + std::to_string(i / 4) + ",caf\xe9,200\n";
  const Arguments how{folder.write("log.csv", text), "--policy", "3/1s"};
  const Outcome whole = verify(how, {"--json"});
  CHECK(contains(whole.out, "key_b64"));
  check_same(verify(portions(folder, how, 2), {"--json"}), whole);
}

TEST_CASE("verify joins the parts of one log, each once, and nothing else") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(300));
  const std::string other_log = folder.write("other.jsonl", mixed_log(301));
  const Arguments three{"--policy", "3/1s"};
  const auto part = [&](const char* name, const std::string& of, const char* which,
                        const Arguments& how) {
    return folder.write(name, verify(joined({of, "--part", which}, how)).out);
  };
  const std::string first = part("first", log, "1/2", three);
  const std::string second = part("second", log, "2/2", three);
  const std::string again = part("again", log, "1/2", three);
  const std::string third = part("third", log, "2/3", three);
  const std::string other = part("other", other_log, "2/2", three);
  const std::string fresh = part("fresh", log, "2/2", {"--policy", "3/1s", "--fresh"});
  const std::string text = mixed_log(300);
  const std::size_t line_end = text.find('\n') + 1;  // the same records in another order
  const std::string moved =
      folder.write("moved.jsonl", text.substr(line_end) + text.substr(0, line_end));
  const std::string shuffled = part("shuffled", moved, "2/2", three);
  CHECK(verify({second, first}).exit == 1);
  const std::pair<Arguments, std::string> refused[] = {
      {{first}, "part 2/2 is missing"},
      {{first, second, again}, "part 1/2 is there twice"},
      {{first, third}, "it is part 2/3, and "},
      {{first, other}, "it is of another log than "},
      {{first, shuffled}, "it is of another log than "},
      {{first, fresh}, "or was judged with other options"},
      {{first, second, log}, "another file is a log"},
      {{first, second, "--fresh"}, "--fresh has no effect on the outputs of verify --part"}};
  for (const auto& [arguments, message] : refused) {
    const Outcome outcome = verify(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, message));
  }
}

TEST_CASE("verify joins no part that another version of rlctl made") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(10));
  OrderedJson part = OrderedJson::parse(verify({log, "--policy", "3/1s", "--part", "1/1"}).out);
  part["version"] = "0.0.1";
  const Outcome refused = verify({folder.write("part", part.dump())});
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "it was written by rlctl '0.0.1', and this is "));
}

TEST_CASE("verify --part: which of how many") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(10));
  for (const char* wrong : {"0/2", "3/2", "2", "1/257", "x/y"}) {
    const Outcome refused = verify({log, "--policy", "3/1s", "--part", wrong});
    CHECK(refused.exit == 2);
    CHECK(contains(refused.err, "--part"));
  }
  CHECK(contains(verify({log, "--part", "1/2"}).err, "there is no policy to judge by"));
}

TEST_CASE("verify refuses a damaged part, or judges it, and does not crash") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(200));
  const std::string first =
      verify({log, "--part", "1/1", "--policy", "3/1s & 9/10s", "--contract", "4/1s"}).out;
  REQUIRE(verify({folder.write("part", first)}).exit == 1);
  CHECK(contains(verify({folder.write("part", first.substr(0, first.size() / 2))}).err,
                 "the file is damaged"));
  std::mt19937_64 random(7);
  const OrderedJson values[] = {
      0, -1, 7, 1e300, 4'000'000'000U, "x", nullptr, true, OrderedJson::array()};
  for (int i = 0; i < 24; ++i) {
    OrderedJson damaged = OrderedJson::parse(first);
    const std::vector<OrderedJson*> leaves = leaves_of(damaged);
    *leaves.at(random() % leaves.size()) = values[random() % std::size(values)];
    const Outcome outcome = verify({folder.write("part", damaged.dump())});
    CAPTURE(outcome.err);
    CHECK((outcome.exit == 0 || outcome.exit == 1 || outcome.exit == 2 || outcome.exit == 4));
  }
}

TEST_CASE("verify --memory leaves nothing behind, and needs a folder for it") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(8'000));
  const std::filesystem::path temporary = folder / "temporary";
  std::filesystem::create_directory(temporary);
  const Arguments all{"verify", log, "--policy", "3/1s", "--memory", "64K"};
  CHECK(run_rlctl(all, {}, {"TMPDIR=" + temporary.string()}).exit == 1);
  CHECK(std::filesystem::is_empty(temporary));
  const Outcome refused = run_rlctl(all, {}, {"TMPDIR=" + (folder / "none")});
  CHECK(refused.exit == 3);
  CHECK(contains(refused.err, "can't make a temporary file in '"));
  CHECK(contains(refused.err, "set TMPDIR"));
}

TEST_CASE("verify --memory and --part refuse what needs all records at once") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(100));
  struct Refused {
    Arguments options;
    std::string what;
  };
  for (const Refused& one :
       {Refused{{"--policy", "3/1s", "--infer"}, "--infer"},
        Refused{{"--policy", "3/1s, per user"}, "a rule with 'per'"},
        Refused{{"--policy", "3 in flight", "--held-at-least", "1ms"}, "--held-at-least"}}) {
    for (const Arguments& by_parts : {Arguments{"--memory", "1M"}, Arguments{"--part", "1/2"}}) {
      const Outcome refused = verify(joined({log}, by_parts), one.options);
      CHECK(refused.exit == 2);
      CHECK(
          contains(refused.err, by_parts.front() + ": " + one.what + " needs all records at once"));
    }
  }
  CHECK(contains(verify({log, "--policy", "3/1s", "--memory", "2"}).err, "512M or 2G"));
}
