#include "log/log_encoder.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "unit/log/encoded_log.h"

namespace rlctl {
namespace {

Log small_log() {
  Log log;
  log.algorithm = "sliding-list";
  log.policy = policy_of({Rule{.limit = 100, .window_us = 60'000'000}});
  log.contract = log.policy.rules;
  log.run_id = "r1";
  log.seed = 7;
  log.keys = {"u:1", "\xff"};
  log.identities = {"bot"};
  log.phases = {"burst"};
  Record record;
  record.sent_us = 10;
  record.received_us = 20;
  record.outcome = Outcome::allowed;
  log.records = {record};
  return log;
}

TEST_CASE("a JSON Lines log is a header and one line per record") {
  const std::string text = encoded(LogFormat::json_lines, small_log());
  const auto end = text.find('\n');
  const auto header = nlohmann::json::parse(text.substr(0, end));
  CHECK(header["rlctl_log"] == 2);
  CHECK(header["policy"]["rules"][0]["limit"] == 100);
  CHECK(header["contract"][0]["kind"] == "sliding");
  CHECK(header["shard"] == "1/1");
  CHECK(text.substr(end + 1) ==
        "{\"sent_us\":10,\"received_us\":20,\"server_us\":null,\"outcome\":\"allowed\","
        "\"key\":\"u:1\",\"who\":\"bot\",\"phase\":\"burst\"}\n"
        "{\"rlctl_log_end\":{\"records\":1}}\n");
}

TEST_CASE("a key that is not UTF-8 is logged with its raw bytes") {
  Log log = small_log();
  log.records[0].key = 1;
  CHECK(encoded(LogFormat::json_lines, log).find("\"key\":\"\\\\xff\",\"key_b64\":\"/w==\"") !=
        std::string::npos);
  CHECK(encoded(LogFormat::csv, log).find(",\\xff,/w==,bot,,burst,,,\n") != std::string::npos);
}

TEST_CASE("no cell of a CSV log is a formula") {
  for (const char* key : {"=1+1", "+1", "-1", "@x", "  =1", "'=1", "'"}) {
    CAPTURE(key);
    Log log = small_log();
    log.keys[0] = key;
    const std::string text = encoded(LogFormat::csv, log);
    CHECK(text.find("'" + std::string(key)) != std::string::npos);
  }
}

TEST_CASE("a control character in a CSV key stays out of the file") {
  Log log = small_log();
  log.keys[0] = "a\nb\x1b[2J";
  const std::string text = encoded(LogFormat::csv, log);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("a\\x0ab\\x1b[2J,YQpiG1sySg==") != std::string::npos);
}

}  // namespace
}  // namespace rlctl
