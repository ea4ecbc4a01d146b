#include "io/redis/endpoint.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace rlctl;

namespace {

// Message and hint of the error; empty if there is none.
std::string refusal(const std::string& url) {
  try {
    parse_endpoint(url);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what() + (" | " + error.hint());
  }
  return {};
}

bool refused_with(const std::string& url, const std::string& words) {
  return refusal(url).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("missing parts of a URL have Redis's defaults") {
  const Endpoint endpoint = parse_endpoint("redis://");
  CHECK(endpoint.host == "127.0.0.1");
  CHECK(endpoint.port == 6379);
  CHECK(endpoint.database == 0);
  CHECK(endpoint.user.empty());
  CHECK(endpoint.password.empty());
  CHECK(parse_endpoint("redis://:7000").host == "127.0.0.1");
  CHECK(parse_endpoint("redis://:7000").port == 7000);
  CHECK(parse_endpoint("redis://cache").name() == "redis://cache:6379");
  CHECK(parse_endpoint("redis://cache/").database == 0);
}

TEST_CASE("every part of a URL is read") {
  const Endpoint endpoint = parse_endpoint("redis://ann:secret@cache.example:7001/3");
  CHECK(endpoint.user == "ann");
  CHECK(endpoint.password == "secret");
  CHECK(endpoint.host == "cache.example");
  CHECK(endpoint.port == 7001);
  CHECK(endpoint.database == 3);
  CHECK(endpoint.name() == "redis://cache.example:7001/3");
}

TEST_CASE("?db=N, which is for a socket, is told as a path") {
  for (const char* url : {"redis://h:7000?db=5", "redis://h?db=5", "redis+sentinel://h/name?db=5"})
    CHECK(refused_with(url, "write /5 in place of ?db=5"));
  CHECK(refused_with("redis://u:p@h:7000/?db=5", "write /5 in place of /?db=5"));
  for (const char* url : {"redis://h/3?db=4", "rediss://u:p@h:1/3?db=4", "redis://a,b:7/3?db=4",
                          "redis+sentinel://h/name/3?db=4"})
    CHECK(refused_with(url, "names the database twice, by /3 and by ?db=4: remove ?db=4"));
  CHECK(refused_with("redis://h/secret?db=4", "the database must be a number"));
  CHECK(parse_endpoint("redis://h/0").names_database);
  CHECK(parse_endpoint("unix:///s?db=5").names_database);
  CHECK_FALSE(parse_endpoint("redis://h").names_database);
}

TEST_CASE("several addresses are nodes of one cluster") {
  const Endpoint endpoint = parse_endpoint("redis://:pw@a:7000,[::1],b:7002");
  CHECK(endpoint.host == "a");
  CHECK(endpoint.port == 7000);
  CHECK(endpoint.others == std::vector<NodeAddress>{{"::1", 6379}, {"b", 7002}});
  CHECK(endpoint.name() == "redis://a:7000,[::1]:6379,b:7002");
  CHECK(refused_with("redis://a:7000,b:x", "port"));
}

TEST_CASE("an IPv6 address is in brackets") {
  CHECK(parse_endpoint("redis://[::1]").host == "::1");
  CHECK(parse_endpoint("redis://[::1]").port == 6379);
  CHECK(parse_endpoint("redis://[fe80::1%eth0]:1/2").host == "fe80::1%eth0");
  CHECK(parse_endpoint("redis://:p@[::1]:65535").name() == "redis://[::1]:65535");
  CHECK(refused_with("redis://::1", "brackets"));
  CHECK(refused_with("redis://::1:6379", "brackets"));
  CHECK(refused_with("redis://[::1", "is missing"));
  CHECK(refused_with("redis://[::1]6379", "only ':port'"));
  CHECK(refused_with("redis://[]", "no address"));
}

TEST_CASE("user and password may be percent-encoded, and contain an '@' or ':' or '/'") {
  CHECK(parse_endpoint("redis://a%40b:p%3A%2F%25%00@h").user == "a@b");
  CHECK(parse_endpoint("redis://a:p%3a%2F%25%00@h").password == std::string("p:/%\0", 5));
  CHECK(parse_endpoint("redis://:p@ss:w/rd@h").password == "p@ss:w/rd");
  CHECK(parse_endpoint("redis://:p@ss:w/rd@h").host == "h");
  CHECK(parse_endpoint("redis://ann@h").user == "ann");
  for (const char* bad : {"redis://:%@h", "redis://:%4@h", "redis://:%zz@h", "redis://:a%g1@h"}) {
    CAPTURE(bad);
    CHECK(refused_with(bad, "two hex digits"));
  }
}

TEST_CASE("ports are 1 to 65535") {
  CHECK(parse_endpoint("redis://h:1").port == 1);
  CHECK(parse_endpoint("redis://h:65535").port == 65535);
  for (const char* bad : {"redis://h:0", "redis://h:65536", "redis://h:-1", "redis://h:+1",
                          "redis://h:", "redis://h:6379x", "redis://h:99999999999999999999"}) {
    CAPTURE(bad);
    CHECK(refused_with(bad, "1 to 65535"));
  }
}

TEST_CASE("a database is a number") {
  CHECK(parse_endpoint("redis://h/15").database == 15);
  for (const char* bad : {"redis://h/x", "redis://h/-1", "redis://h/1/2", "redis://h/1?x=y",
                          "redis://h/1000001", "unix:///tmp/s?db=x", "unix:///tmp/s?db="}) {
    CAPTURE(bad);
    CHECK(refused_with(bad, "the database must be a number"));
  }
}

TEST_CASE("a unix socket needs a full path, and may have a database") {
  CHECK(parse_endpoint("unix:///run/redis.sock").unix_path == "/run/redis.sock");
  CHECK(parse_endpoint("unix:///run/redis.sock?db=2").database == 2);
  CHECK(parse_endpoint("unix:///run/redis.sock?db=2").name() == "unix:///run/redis.sock?db=2");
  CHECK(refused_with("unix://redis.sock", "full path"));
  CHECK(refused_with("unix://", "full path"));
  CHECK(refused_with("unix:///", "full path"));
  CHECK(refused_with("unix:///s?database=2", "?db=N"));
  CHECK(parse_endpoint("unix:///" + std::string(106, 'a')).unix_path.size() == 107);
  CHECK(refused_with("unix:///" + std::string(107, 'a'), "107 bytes"));
}

TEST_CASE("rediss:// speaks TLS, and another scheme is refused") {
  const Endpoint endpoint = parse_endpoint("rediss://ann:secret@cache.example/3");
  CHECK(endpoint.tls != nullptr);
  CHECK(endpoint.name() == "rediss://cache.example:6379/3");
  CHECK(parse_endpoint("redis://cache.example").tls == nullptr);
  for (const char* bad : {"", "h", "h:6379", "http://h", "redis:/h", "REDIS//h"})
    CHECK(refused_with(bad, "must begin with redis://, rediss://, unix:// or redis+sentinel://"));
}

TEST_CASE("no message shows a password, whatever the mistake in the URL") {
  for (const char* url :
       {"redis://u:hunter2", "redis://:hunter2", "redis://u:hunter2/x", "redis://u:x/hunter2",
        "redis://u:hunter2@h:0", "redis://u:hunter2@h/x", "redis://u:hunter2%@h",
        "redis://u:hunter2@[::1", "redis://u:hunter2@::1", "rediss://u:hunter2@h:0",
        "http://u:hunter2@h", "unix://u:hunter2@/tmp/s", "unix:///s?hunter2"}) {
    CAPTURE(url);
    CHECK_FALSE(refusal(url).empty());
    CHECK_FALSE(refused_with(url, "hunter2"));
  }
  const std::string name = parse_endpoint("redis://ann:hunter2@h/1").name();
  CHECK(name == "redis://h:6379/1");
}

TEST_CASE("a name can't control the terminal") {
  CHECK(parse_endpoint("redis://[a:\x1b[2J]").name() == "redis://[a:\\x1b[2J]:6379");
  CHECK(parse_endpoint("redis://\x1b").name() == "redis://\\x1b:6379");
  CHECK(parse_endpoint("unix:///\x1b").name() == "unix:///\\x1b");
}

TEST_CASE("Sentinels are several addresses and the name of a service") {
  const Endpoint endpoint =
      parse_endpoint("redis+sentinel://u:p%40w@10.0.0.1:5000,[::1],h/my%2Fmaster/3");
  CHECK(endpoint.sentinels ==
        std::vector<NodeAddress>{{"10.0.0.1", 5000}, {"::1", 26379}, {"h", 26379}});
  CHECK(endpoint.service == "my/master");
  CHECK(endpoint.database == 3);
  CHECK(endpoint.password == "p@w");
  CHECK(endpoint.name() == "redis+sentinel://10.0.0.1:5000,[::1]:26379,h:26379/my/master/3");
  CHECK(refused_with("redis+sentinel://h:1", "the name of the master is missing"));
  CHECK(refused_with("redis+sentinel:///x", "needs the address of a Sentinel"));
}

TEST_CASE(
    "a command that is proposed leads to the same Redis, as the same user, without a password") {
  const auto options = [](const char* url) { return options_for(parse_endpoint(url)); };
  CHECK(options("redis://127.0.0.1:6379/0").empty());
  CHECK(options("redis://:pw@127.0.0.1").empty());
  CHECK(options("redis://ann:pw@h:7000/3") == " --redis redis://h:7000/3 --user ann");
  CHECK(options("unix:///run/my redis.sock?db=2") == " --redis 'unix:///run/my redis.sock?db=2'");
  Endpoint trusting = parse_endpoint("rediss://h", {.sni = "n", .insecure = true});
  trusting.password_file = "pass word";
  CHECK(options_for(trusting) ==
        " --redis rediss://h:6379 --pass-file 'pass word' --sni n --insecure");
  trusting.password_file = "/dev/fd/63";  // what a shell makes of <(...) is gone afterwards
  CHECK(options_for(trusting) == " --redis rediss://h:6379 --sni n --insecure");
  CHECK(rlctl_command("inspect u1", parse_endpoint("redis://h")) ==
        "rlctl inspect u1 --redis redis://h:6379");
}
