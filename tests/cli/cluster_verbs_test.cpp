// The verbs over a Redis Cluster of three masters and three replicas, and with one of them away.
#include <doctest/doctest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "redis/private_redis.h"
#include "redis/test_cluster.h"

using nlohmann::json;
using rlctl::test::TestCluster;

namespace {

Outcome rlctl_at(const TestCluster& servers, Arguments arguments, std::size_t node = 0) {
  arguments.insert(arguments.end(), {"--redis", servers.url(node)});
  return run_rlctl(arguments);
}

// A limiter of each of `count` clients: "rl:10.0.0.N" = "3", for ten minutes.
void fill(TestCluster& servers, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string key = "rl:10.0.0." + std::to_string(i);
    servers.command(servers.node_of(key), {"SET", key, "3", "PX", "600000"});
  }
}

std::int64_t all_keys(TestCluster& servers, std::size_t masters) {
  std::int64_t sum = 0;
  for (std::size_t node = 0; node < masters; ++node)
    sum += servers.command(node, {"DBSIZE"}).integer;
  return sum;
}

}  // namespace

TEST_CASE("list, inspect, reset and watch see all masters of a cluster, and say when one is away") {
  TestCluster servers({3, 0});
  fill(servers, 30);
  const Outcome list = rlctl_at(servers, {"list", "--json"}, 1);
  CHECK(list.exit == 0);
  CHECK(json::parse(list.out)["total"] == 30);
  CHECK(json::parse(list.out)["complete"] == true);
  CHECK(rlctl_at(servers, {"inspect", "10.0.0.7", "--limit", "5", "--window", "10m"}).exit == 0);
  CHECK(rlctl_at(servers, {"inspect", "10.0.0.7", "--limit", "3", "--window", "10m"}).exit == 1);
  const Outcome watch = rlctl_at(servers, {"watch", "--once", "--json", "--most", "50"});
  CHECK(watch.exit == 0);
  CHECK(json::parse(watch.out)["limiters"].size() == 30);
  const Outcome reset = rlctl_at(servers, {"reset", "rl:10.0.0.1*", "--yes"});
  CHECK(reset.exit == 0);
  CHECK(all_keys(servers, 3) == 19);

  const std::size_t gone = servers.node_of("rl:10.0.0.2");
  const std::size_t other = (gone + 1) % 3;
  servers.kill(gone);
  for (const Arguments& verb :
       {Arguments{"list"}, Arguments{"inspect", "10.0.0.99"}, Arguments{"watch", "--once"},
        Arguments{"reset", "rl:10.*", "--dry-run"}}) {
    CAPTURE(verb.front());
    const Outcome partial = rlctl_at(servers, verb, other);
    CHECK(partial.exit == 4);
    CHECK(contains(partial.err, "partial: not"));
    CHECK(contains(partial.err, std::to_string(servers.endpoint(gone).port)));
  }
}

TEST_CASE("with a master away, a limiter on another one is shown, and what was not seen of it") {
  TestCluster servers({3, 0});
  fill(servers, 30);
  // A key whose flag and periods are at another node.
  std::string key;
  std::size_t gone = 0, other = 0;
  for (int i = 0; i < 30 && key.empty(); ++i) {
    const std::string one = "rl:10.0.0." + std::to_string(i);
    other = servers.node_of(one);
    gone = servers.node_of(one + ":blocked");
    servers.command(gone, {"DEL", one + ":blocked"});
    servers.command(other, {"SET", one, "3", "PX", "600000"});
    if (gone != other) key = one;
  }
  REQUIRE_FALSE(key.empty());
  servers.kill(gone);
  const std::string away = "127.0.0.1:" + std::to_string(servers.endpoint(gone).port);
  for (const std::string& asked : {key.substr(3), key, std::string("rl:10.0.0.*")}) {
    CAPTURE(asked);
    const Outcome partial = rlctl_at(servers, {"inspect", asked, "--entries", "1"}, other);
    INFO(partial.out << partial.err);
    CHECK(partial.exit == 4);
    CHECK(contains(partial.out, key + ": the number 3"));
    CHECK(contains(partial.out, "not seen: " + away + ": not connected: "));
  }
  const Outcome object = rlctl_at(servers, {"inspect", key, "--json"}, other);
  const json block = json::parse(object.out)["limiters"][0]["block"];
  CHECK(block["blocked"].is_null());
  CHECK(contains(block["problem"].get<std::string>(), away));
}

TEST_CASE("of a master that hangs the time is told in which it gave no answer") {
  TestCluster servers({3, 0});
  const pid_t hanging = rlctl::test::server_pid(servers.endpoint(1));
  ::kill(hanging, SIGSTOP);
  const Outcome outcome = rlctl_at(servers, {"list", "--timeout", "500ms"}, 0);
  ::kill(hanging, SIGCONT);
  INFO(outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.err, ": not connected: "));
  CHECK(contains(outcome.err, "no reply within 500ms"));
}

TEST_CASE("with a master away, hit decides what the others can, and else says what it misses") {
  TestCluster servers({3, 0});
  const auto key_at = [&](std::size_t node, std::size_t flag_node) {
    std::string key = "rl:";
    do key += "x";
    while (servers.node_of(key) != node || servers.node_of(key + ":blocked") != flag_node);
    return key;
  };
  const std::string here = key_at(0, 1), blocked = key_at(2, 0), perhaps = key_at(0, 2);
  for (std::size_t node = 0; node < 3; ++node) servers.command(node, {"FLUSHALL"});
  servers.command(0, {"SET", blocked + ":blocked", "1"});
  servers.kill(2);
  const auto hit = [&](const std::string& key) {
    return rlctl_at(servers, {"hit", key, "--limit", "5", "--window", "1m"});
  };
  const Outcome decided = hit(here);  // no node has the script yet
  INFO(decided.err);
  CHECK(decided.out == "allowed, 4 of 5 left\n");
  CHECK(hit(blocked).out == "denied, blocked for ever by '" + blocked + ":blocked'\n");
  const Outcome unsure = hit(perhaps);
  CHECK(unsure.exit == 3);
  CHECK(contains(unsure.err, "not hit: it is not known if '" + perhaps + ":blocked' blocks it: "));
  CHECK(all_keys(servers, 2) == 2);
}

TEST_CASE("with a master away, doctor, load and simulate say which one, and what is seen is told") {
  TestCluster servers({3, 0});
  fill(servers, 30);
  const std::size_t gone = 0;
  for (const std::size_t node : {1, 2})  // unnoticed, it is no critical finding
    servers.command(node, {"CONFIG", "SET", "cluster-node-timeout", "600000"});
  servers.kill(gone);
  const std::string away = "127.0.0.1:" + std::to_string(servers.endpoint(gone).port);
  const Outcome doctor = rlctl_at(servers, {"doctor", "--fail-on", "critical"}, 1);
  INFO(doctor.out << doctor.err);
  CHECK(doctor.exit == 4);
  CHECK(contains(doctor.err, "partial: not seen: "));
  const auto told = doctor.err.find(away + ": not connected: ");
  REQUIRE(told != doctor.err.npos);
  CHECK(doctor.err.find(away + ": not connected: ", told + 1) == doctor.err.npos);
  CHECK(contains(doctor.out, std::to_string(servers.endpoint(1).port) + ": its clock is "));
  const Outcome load = rlctl_at(servers, {"load", "fixed"}, 1);
  CHECK(load.exit == 4);
  CHECK_FALSE(contains(load.err, "CLUSTER NODES"));
  CHECK(contains(load.err, "partial: not loaded: can't connect to redis://" + away));
  CHECK(contains(load.out, "new on 2 of 3 nodes"));
  const Outcome simulate = rlctl_at(servers, {"simulate", "double-click", "--quiet"}, 1);
  CHECK(simulate.exit != 0);
  CHECK(contains(simulate.out + simulate.err, away));
}

TEST_CASE("several addresses are nodes of one cluster, of which one may be away") {
  TestCluster servers({3, 0});
  fill(servers, 3);
  servers.kill(2);
  const std::string both =
      servers.url(2) + "," + "127.0.0.1:" + std::to_string(servers.endpoint(0).port);
  const Outcome list = run_rlctl({"list", "--redis", both});
  CHECK(list.exit == 4);
  CHECK(contains(list.err, "partial: not listed: "));
  const Outcome none = run_rlctl({"list", "--redis", "redis://127.0.0.1:1,127.0.0.1:2"});
  CHECK(none.exit == 3);
  CHECK(contains(none.err, "no node answers: can't connect to redis://127.0.0.1:1: "));
  CHECK(contains(none.err, "redis://127.0.0.1:2: "));
}

TEST_CASE("the keys of simulate get a hash tag where a script has several") {
  TestCluster servers({3, 0});
  const Outcome outcome =
      rlctl_at(servers, {"simulate", "bot", "--algo", "fixed", "--limit", "5", "--window", "1s",
                         "--for", "2s", "--block", "1s", "--quiet", "--attempts", "1"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit != 2);
  CHECK(contains(outcome.out, " denied"));
}

TEST_CASE("while a slot moves, the verbs see its keys on both nodes, and say that it moves") {
  TestCluster servers({3, 0});
  fill(servers, 10);
  const auto moving = [](int i) { return "rl:{t}" + std::to_string(i); };
  const std::string sibling = "{t}";
  const std::size_t from = servers.node_of(sibling);
  const std::size_t to = (from + 1) % 3;
  for (int i = 0; i < 10; ++i) servers.command(from, {"SET", moving(i), "3", "PX", "600000"});
  servers.begin_migration(sibling, to);
  for (int i = 0; i < 5; ++i) servers.migrate_key(moving(i), from, to);
  const auto is_partial = [&](Arguments verb) {
    const Outcome outcome = rlctl_at(servers, std::move(verb));
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(contains(outcome.err, "perhaps keys that are moving between nodes now, of slot "));
    return outcome.out;
  };
  const json list = json::parse(is_partial({"list", "--json"}));
  CHECK(list["total"] == 20);
  CHECK(list["complete"] == false);
  const json watch = json::parse(is_partial({"watch", "--once", "--json", "--most", "50"}));
  CHECK(watch["limiters"].size() == 20);
  CHECK(contains(is_partial({"inspect", "{t}2"}), "rl:{t}2"));
  CHECK(contains(is_partial({"inspect", "rl:{t}*"}), "rl:{t}2"));
  CHECK(rlctl_at(servers, {"inspect", "rl:{t}2"}).exit == 0);
  CHECK(rlctl_at(servers, {"block", "rl:{t}2", "--for", "1m"}).exit == 0);
  is_partial({"reset", "rl:{t}*", "--yes"});
  CHECK(all_keys(servers, 3) == 11);
  servers.end_migration(sibling, to);
  CHECK(rlctl_at(servers, {"list"}).exit == 0);
}

TEST_CASE("a user of a cluster who may not ask where slots are is told the rule that grants it") {
  TestCluster servers({3, 0});
  fill(servers, 3);
  for (std::size_t node = 0; node < 3; ++node)
    servers.command(node, {"ACL", "SETUSER", "default", "-cluster|nodes"});
  for (const Arguments& verb :
       {Arguments{"list"}, Arguments{"inspect", "10.0.0.1"}, Arguments{"watch", "--once"},
        Arguments{"reset", "rl:10.*", "--dry-run"}}) {
    const Outcome partial = rlctl_at(servers, verb);
    INFO(verb.front() << ": " << partial.out << partial.err);
    CHECK(partial.exit == 4);
    CHECK(contains(partial.err, "perhaps keys that were moving between nodes: CLUSTER NODES: "));
    // From Redis 7.2 on, the error names the user.
    CHECK(contains(partial.err, "(this grants it: ACL SETUSER "));
    CHECK(contains(partial.err, " +cluster|nodes)"));
  }
  // Without the map, a node has its own keys only.
  servers.command(0, {"ACL", "SETUSER", "default", "-cluster|slots"});
  for (const Arguments& without : {Arguments{}, {"-hello"}}) {
    Arguments change{"ACL", "SETUSER", "default"};
    change.insert(change.end(), without.begin(), without.end());
    servers.command(0, change);
    for (const Arguments& verb :
         {Arguments{"list"}, Arguments{"doctor"}, Arguments{"load", "fixed"}}) {
      const Outcome refused = rlctl_at(servers, verb, 0);
      INFO(verb.front() << ": " << refused.out << refused.err);
      CHECK(refused.exit == 3);
      CHECK(refused.out.empty());
      CHECK(contains(refused.err, "this user may not ask the cluster for its map: NOPERM"));
      CHECK(contains(refused.err, "allow it: ACL SETUSER name +cluster|slots"));
    }
  }
}

TEST_CASE("load puts the scripts on every node, and the functions where masters keep them") {
  TestCluster servers({3, 3});
  servers.wait_until_replicas_are_listed();
  const Outcome load = rlctl_at(servers, {"load", "fixed", "--json"});
  CHECK(load.exit == 0);
  const json document = json::parse(load.out);
  CHECK(document["nodes"] == 6);
  const std::string sha = document["scripts"][0]["sha1"];
  for (std::size_t node = 0; node < 6; ++node)
    CHECK(servers.command(node, {"SCRIPT", "EXISTS", sha}).elements[0].integer == 1);
  servers.command(4, {"SCRIPT", "FLUSH"});
  const Outcome again = rlctl_at(servers, {"load", "fixed", "--dry-run"});
  CHECK(again.exit == 1);
  CHECK(contains(again.out, "missing on 1 of 6 nodes"));
  const Outcome functions = rlctl_at(servers, {"load", "fixed", "--function"});
  CHECK(functions.exit == 0);
  CHECK(contains(functions.out, "new"));
  CHECK_FALSE(contains(functions.out, "of 6 nodes"));
  for (std::size_t node = 0; node < 6; ++node)
    CHECK(servers.command(node, {"FUNCTION", "LIST"}).elements.size() == 1);
  CHECK(rlctl_at(servers, {"load", "fixed", "--function", "--dry-run"}).exit == 0);
}

TEST_CASE("load reaches a node that serves no keys yet, and says if it may not ask for such") {
  TestCluster servers({3, 1});
  const std::string port = std::to_string(servers.endpoint(0).port);
  // A node that joins: in the cluster, but not in the map.
  servers.command(3, {"CLUSTER", "RESET"});
  servers.command(3, {"CLUSTER", "MEET", "127.0.0.1", port});
  const std::string joined = std::to_string(servers.endpoint(3).port) + "@";
  const auto is_listed = [&] {
    const std::string nodes = servers.command(0, {"CLUSTER", "NODES"}).text;
    return contains(nodes, joined) && !contains(nodes, "slave") && !contains(nodes, "handshake");
  };
  while (!is_listed()) continue;
  const Outcome load = rlctl_at(servers, {"load", "fixed", "--json"});
  CHECK(load.exit == 0);
  const json document = json::parse(load.out);
  CHECK(document["nodes"] == 4);
  const std::string sha = document["scripts"][0]["sha1"];
  CHECK(servers.command(3, {"SCRIPT", "EXISTS", sha}).elements[0].integer == 1);
  for (std::size_t node = 0; node < 4; ++node)
    servers.command(node, {"ACL", "SETUSER", "default", "-cluster|nodes"});
  const Outcome blind = rlctl_at(servers, {"load", "fixed"});
  CHECK(blind.exit == 0);
  CHECK(contains(blind.err, "may be missing: CLUSTER NODES: NOPERM"));
  CHECK(contains(blind.err, " +cluster|nodes)"));
}

TEST_CASE("a script whose keys cross slots is refused before it runs") {
  TestCluster servers({3, 0});
  const Arguments hit{"hit", "client", "--algo", "fixed", "--limit", "2", "--window", "1m"};
  CHECK(rlctl_at(servers, hit).exit == 0);
  Arguments block = hit;
  block.insert(block.end(), {"--block", "1m"});
  block[1] = "other";
  const Outcome refused = rlctl_at(servers, block);
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "'other' in slot"));
  CHECK(contains(refused.err, "'{other}'"));
  CHECK(all_keys(servers, 3) == 1);
  block[1] = "{other}";
  CHECK(rlctl_at(servers, block).exit == 0);
}

TEST_CASE("a bench of a private cluster tells what each node did and what hash tags do") {
  const Outcome bench =
      run_rlctl({"bench", "--embedded", "cluster:3", "--algo", "fixed", "--only", "speed",
                 "--rounds", "1", "--for", "200ms", "--json", "--quiet"});
  REQUIRE(bench.exit == 0);
  const json algorithm = json::parse(bench.out)["algorithms"][0];
  const json& nodes = algorithm["balance"]["nodes"];
  REQUIRE(nodes.size() == 3);
  double sum = 0;
  for (const json& node : nodes) sum += node["decisions_per_second"].get<double>();
  const double all = algorithm["decisions_per_second"];
  CHECK(sum == doctest::Approx(all).epsilon(0.01));
  CHECK(algorithm["balance"]["skew"].get<double>() >= 1);
  CHECK(algorithm["balance"]["one_slot_decisions_per_second"].get<double>() > 0);
  CHECK(algorithm["balance"]["one_key_decisions_per_second"].get<double>() > 0);
  CHECK(algorithm["balance"]["one_key_server_cpu_us"].get<double>() > 0);
  CHECK(algorithm["balance"]["one_key_busiest_cpu_percent"].get<double>() > 0);
}

TEST_CASE("a private cluster is asked for in clear words") {
  CHECK(contains(run_rlctl({"bench", "--embedded", "cluster:1"}).err, "cluster:3"));
  CHECK(run_rlctl({"bench", "--embedded", "cluster:3", "--redis", "redis://127.0.0.1:1"}).exit ==
        2);
  CHECK(run_rlctl({"bench", "--cluster"}).exit == 2);
}

TEST_CASE("doctor on a cluster: keys in two slots, scripts that a node lacks, uneven load") {
  TestCluster servers({3, 0});
  for (std::size_t node = 0; node < 3; ++node)
    servers.command(node, {"CONFIG", "SET", "appendonly", "yes"});
  const auto set = [&](const std::string& key) {
    servers.command(servers.node_of(key), {"SET", key, "1", "PX", "600000"});
  };
  const auto found = [&] {
    std::vector<std::string> names;
    const Outcome outcome = rlctl_at(servers, {"doctor", "--json"});
    INFO(outcome.err);
    CHECK(outcome.exit == (outcome.out.find("\"finding\"") == std::string::npos ? 0 : 1));
    const json told = json::parse(outcome.out);
    for (const json& finding : told["findings"]) names.push_back(finding["finding"]);
    return names;
  };
  set("rl:{10.0.0.1}");
  set("rl:{10.0.0.1}:blocked");
  CHECK(rlctl_at(servers, {"load", "sliding-list"}).exit == 0);
  CHECK(found().empty());
  const std::string text = rlctl_at(servers, {"doctor"}).out;
  for (std::size_t node = 0; node < 3; ++node)
    CHECK(contains(text, std::to_string(servers.endpoint(node).port) + ": its clock is "));
  set("rl:10.0.0.1:blocked");
  CHECK(found().empty());  // the key beside which it would be asked is not there
  set("rl:10.0.0.1");
  servers.command(1, {"SCRIPT", "FLUSH"});
  CHECK(found() == std::vector<std::string>{"crossed-slots", "missing-scripts"});
  const std::size_t busy = servers.node_of("rl:{10.0.0.1}");
  for (int i = 0; i < 30; ++i)
    servers.command(busy, {"EVAL", "for i = 1, 5000 do redis.call('DBSIZE') end", "0"});
  servers.command(busy, {"SLOWLOG", "RESET"});
  CHECK(found() == std::vector<std::string>{"crossed-slots", "missing-scripts", "uneven-nodes"});
}
