// Names that rules count by, from logs of every format, and back.
#include "log/rule_keys.h"

#include <doctest/doctest.h>

#include "log/log_parser.h"
#include "unit/log/encoded_log.h"

namespace rlctl {
namespace {

Log read(std::string_view text, LogReadOptions options = {}) {
  LogParser parser(std::move(options));
  parser.begin_file("test.log", 0);
  parser.feed(text);
  parser.end_file();
  return parser.finish().histories.at(0).log;
}

LogReadOptions wanting(const std::vector<std::string>& names, const std::string& format = "") {
  LogReadOptions options;
  options.format = format;
  for (const std::string& name : names) options.columns.want(name);
  return options;
}

std::vector<std::string> keys_of(const Log& log, const std::string& per) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < log.records.size(); ++i)
    keys.push_back(key_under(log, {.per = per}, i).value_or("-"));
  return keys;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("a column of CSV and a member of JSON can be a name, and the key as well") {
  const char* csv =
      "ts,ip,plan,status\n"
      "1700000000.25,2001:db8::1,\"a \"\"b\"\"\",200\n"
      "1700000000.50,2001:db8::2,,200\n";
  LogReadOptions options = wanting({"ip", "plan"});
  const Log log = read(csv, options);
  CHECK(log.keys == Keys{"2001:db8::1", "2001:db8::2"});
  CHECK(keys_of(log, "ip/64") == Keys{"2001:db8::/64", "2001:db8::/64"});
  CHECK(keys_of(log, "plan") == Keys{"a \"b\"", "-"});
  const Log json = read(
      "{\"ts\":1700000000.25,\"client\":\"c\",\"user\":{\"id\":7},\"status\":200}\n"
      "{\"ts\":1700000000.25,\"client\":\"c\",\"user\":{\"id\":\"\\u00e9\"},\"status\":200}\n",
      wanting({"user.id"}));
  CHECK(json.keys == Keys{"c"});
  CHECK(keys_of(json, "user.id") == Keys{"7", "é"});
}

TEST_CASE("a name may be mapped to a column") {
  LogReadOptions options;
  options.columns.want("user", "client_id");
  const Log log = read("ts,ip,client_id,status\n1700000000.25,::1,ann,200\n", options);
  CHECK(keys_of(log, "user") == Keys{"ann"});
}

TEST_CASE("variables of access logs are names, and - is none") {
  const char* lines =
      "10.0.0.1 - ann [14/Nov/2023:23:13:20 +0100] \"GET / HTTP/1.1\" 200 5 \"-\" \"x\"\n"
      "10.0.0.2 - - [14/Nov/2023:23:13:20 +0100] \"GET / HTTP/1.1\" 200 5 \"-\" \"x\"\n";
  const Log log = read(lines, wanting({"remote_addr", "remote_user"}));
  CHECK(keys_of(log, "remote_addr/24") == Keys{"10.0.0.0/24", "10.0.0.0/24"});
  CHECK(keys_of(log, "remote_user") == Keys{"ann", "-"});
  const Log own = read("u=a\\x20b 10.0.0.1 1700000000.250 200\n",
                       wanting({"arg_user"}, "u=$arg_user $remote_addr $msec $status"));
  CHECK(keys_of(own, "arg_user") == Keys{"a b"});
  const Log haproxy = read(
      "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] web api/s1 10/0/30/69/109 200 2750 - - ---- "
      "1/1/1/1/0 0/0 \"GET / HTTP/1.1\"\n",
      wanting({"backend", "frontend"}));
  CHECK(keys_of(haproxy, "backend") == Keys{"api"});
  CHECK(keys_of(haproxy, "frontend") == Keys{"web"});
}

TEST_CASE("rlctl's own logs carry the names, in both formats") {
  Log log;
  log.keys = {"k"};
  log.policy = policy_of({{.limit = 1, .window_us = 1'000'000, .per = "user"}});
  log.names.resize(2);
  log.names[0] = {"user", {"", "ann", "=\xff,\x1b[2J"}, {1, 0, 2}};
  log.names[1] = {"route", {"", "/a"}, {1}};
  for (std::int64_t at_us : {10, 20, 30})
    log.records.push_back(Record{.sent_us = at_us, .received_us = at_us, .outcome = Outcome::allowed});
  for (const LogFormat format : {LogFormat::json_lines, LogFormat::csv}) {
    const Log again = read(encoded(format, log));
    CHECK(keys_of(again, "user") == Keys{"ann", "-", "=\xff,\x1b[2J"});
    CHECK(keys_of(again, "route") == Keys{"/a", "-", "-"});
    CHECK(encoded(format, read(encoded(format, again))) == encoded(format, again));
  }
}

TEST_CASE("a log of the records that a rule counts has its keys") {
  Log log;
  log.keys = {"k"};
  log.names.resize(1);
  log.names[0] = {"user", {"", "ann", "bob"}, {2, 0, 1}};
  log.records.resize(3);
  const Log counted = counted_by(log, {.per = "user"});
  CHECK(counted.records.size() == 2);
  CHECK(counted.keys[counted.records[0].key] == "bob");
  CHECK(counted.keys[counted.records[1].key] == "ann");
}

}  // namespace rlctl
