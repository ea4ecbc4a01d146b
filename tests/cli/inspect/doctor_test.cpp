#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "cli/support/library_keys.h"
#include "cli/support/test_redis.h"
#include "io/clock.h"
#include "io/redis/server_process.h"
#include "redis/private_redis.h"
#include "redis/test_cluster.h"
#include "tools/folder.h"
#include "tools/free_port.h"

using Json = nlohmann::json;
using rlctl::test::Folder;

namespace {

std::set<std::string> found(const TestRedis& redis, Arguments arguments, int exit) {
  arguments.insert(arguments.begin(), "doctor");
  arguments.push_back("--json");
  const Outcome outcome = redis.rlctl(arguments);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == exit);
  std::set<std::string> names;
  const Json told = Json::parse(outcome.out);
  for (const Json& finding : told["findings"]) names.insert(finding["finding"]);
  return names;
}

using Names = std::set<std::string>;

// Sends one command again and again, and reads no answers, until the end of its life.
class Stream {
 public:
  Stream(const std::string& socket_path, const std::string& command) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    sender_ = std::jthread([this, command](const std::stop_token& stop) {
      std::string lot = "CLIENT REPLY OFF\r\n";
      for (int i = 0; i < 1'000; ++i) lot += command;
      while (!stop.stop_requested() && send(socket_, lot.data(), lot.size(), MSG_NOSIGNAL) > 0)
        continue;
    });
  }
  ~Stream() {
    shutdown(socket_, SHUT_RDWR);  // a send that waits ends, too
    sender_ = {};
    close(socket_);
  }

 private:
  int socket_ = -1;
  std::jthread sender_;
};

// A server that a script starts, after some lines and with some options.
class ScriptedRedis {
 public:
  ScriptedRedis(const std::string& lines, const std::string& options)
      : program_(folder_.write(
            "redis-server", "#!/bin/sh\n" + lines + "exec redis-server \"$@\" " + options + "\n")) {
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
  }
  const std::string& program() const { return program_; }

 private:
  Folder folder_;
  std::string program_;
};

// Answers this command as tools/redis_commands.c does: by a script.
struct OtherRedis : ScriptedRedis {
  explicit OtherRedis(const std::string& command)
      : ScriptedRedis("", "--slowlog-log-slower-than -1 --loadmodule '" +
                              std::string(REDIS_COMMANDS) + "' " + command) {}
};

// Its files hold 64 KiB at most; writing more is an error.
struct SmallDisk : ScriptedRedis {
  SmallDisk() : ScriptedRedis("trap '' XFSZ\nulimit -f 64\n", "") {}
};

// Another process may take a port before the server has it.
std::unique_ptr<rlctl::ServerProcess> sentinel_of(std::uint16_t master_port) {
  const std::string master = "127.0.0.1 " + std::to_string(master_port);
  for (int attempt = 1;; ++attempt) {
    try {
      return std::make_unique<rlctl::ServerProcess>(
          "redis-server", rlctl::ServerSettings{rlctl::test::free_port(),
                                                {},
                                                {"--sentinel"},
                                                "sentinel monitor mymaster " + master + " 1\n"});
    } catch (const std::exception&) {
      if (attempt == 5) throw;
    }
  }
}

void wait_for(const std::function<std::string()>& text, const std::string& part) {
  const std::int64_t deadline_us = rlctl::now_us() + 60'000'000;
  while (!contains(text(), part) && rlctl::now_us() < deadline_us)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  REQUIRE(contains(text(), part));
}

}  // namespace

TEST_CASE("doctor finds nothing in a Redis that is well") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"SET", "rl:10.0.0.1", "5", "EX", "60"});
  redis.command({"SET", "rl:10.0.0.1:blocked", "1", "EX", "60"});
  redis.command({"SET", "maintenance", "on"});
  redis.command({"HSET", "config", "retries", "3"});
  CHECK(found(redis, {}, 0) == Names{});
  CHECK(redis.rlctl({"doctor"})
            .out.starts_with(
                "nothing found\n2 keys look like those of limiters of 1 client\na client takes "));
}

TEST_CASE("doctor finds nothing in what libraries write, on one server and on a cluster") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  const auto now_s = std::stoll(redis.command({"TIME"}).elements[0].text);
  const SendCommand send = [&](auto words) { return redis.command(std::move(words)); };
  write_library_keys(send, now_s);
  write_keys_of_runnable_libraries(send, now_s);
  const Outcome alone = redis.rlctl({"doctor"});
  INFO(alone.out << alone.err);
  CHECK(alone.exit == 0);
  CHECK_FALSE(contains(alone.out, "warning: "));

  rlctl::test::TestCluster servers({3, 0});
  for (std::size_t node = 0; node < 3; ++node)
    servers.command(node, {"CONFIG", "SET", "appendonly", "yes"});
  const SendCommand send_on = [&](auto words) {
    const std::size_t node = servers.node_of(words[1]);
    return servers.command(node, std::move(words));
  };
  write_library_keys(send_on, now_s);
  write_keys_of_runnable_libraries(send_on, now_s);
  send_on({"SET", "rl:u1:minute", "5", "EX", "60"});
  send_on({"SET", "rl:u1:hour", "5", "EX", "600"});
  const Outcome cluster = run_rlctl({"doctor", "--redis", servers.url()});
  INFO(cluster.out << cluster.err);
  CHECK(cluster.exit == 0);
  CHECK_FALSE(contains(cluster.out, "warning: "));
}

TEST_CASE("doctor names the library whose keys are ill") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  const auto now_s = std::stoll(redis.command({"TIME"}).elements[0].text);
  redis.command({"HSET", "r", "rate", "10", "interval", "60000", "type", "0"});
  redis.command({"SET", "{r}:value", "-3"});
  redis.command({"SET", "buckets:u1", bucket4j_state(11, now_s), "EX", "60"});
  redis.command({"SET", "fastify-rate-limit-u1", "5"});
  const Outcome outcome = redis.rlctl({"doctor"});
  INFO(outcome.out);
  CHECK(outcome.exit == 1);
  for (const char* seen :
       {"1 key of redisson holds an impossible balance, such as 'r'",
        "1 key of bucket4j holds an impossible balance, such as 'buckets:u1'",
        "1 key of fastify-rate-limit like fastify-rate-limit-<client> never expires, such as"})
    CHECK(contains(outcome.out, seen));
}

TEST_CASE("doctor reads layouts of the user, and what the user says of a prefix") {
  TestRedis redis;
  const Folder files;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"SET", "shop:ann:orders", "4"});
  redis.command({"SET", "mine:ann", "5"});
  CHECK(found(redis, {}, 0) == Names{"perhaps-no-expiry"});
  const std::string layouts =
      files.write("shop.layout",
                  "name = shop\nkey = shop:<client>:orders\nstate = string: count\nused = count\n");
  const Outcome shop = redis.rlctl({"doctor", "--layouts", layouts});
  CHECK(shop.exit == 1);
  CHECK(contains(shop.out, "1 key of shop like shop:<client>:orders never expires"));
  const Outcome mine = redis.rlctl({"doctor", "mine:*", "--as", "rate-limit-redis"});
  CHECK(mine.exit == 1);
  CHECK(contains(mine.out, "1 key of rate-limit-redis never expires"));
}

TEST_CASE("doctor and list doubt the same: a number without an expiry, alone of its kind") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"SET", "rl:10.0.0.1", "5", "EX", "60"});
  redis.command({"SET", "views", "1234"});
  redis.command({"SET", "sold:7", "3"});
  CHECK(found(redis, {}, 0) == Names{"perhaps-no-expiry"});
  const std::string text = redis.rlctl({"doctor"}).out;
  CHECK(contains(
      text,
      "info: perhaps-no-expiry\n  seen  2 keys with a number that may be anything, and "
      "no expiry, such as 'views'\n  then  a number that counts requests is then never reset"));
  CHECK(contains(text, "rlctl reaches this Redis with --redis " + redis.url()));
  const Outcome list = redis.rlctl({"list", "--stuck", "--json"});
  CHECK(list.exit == 0);
  CHECK(Json::parse(list.out)["limiters"].size() == 2);
  CHECK(found(redis, {"sold:*"}, 1) == Names{"no-expiry"});
}

TEST_CASE("a flag with an odd value blocks without an end if a limiter is beside it") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"SET", "rl:bob:blocked", "maybe"});
  CHECK(found(redis, {}, 0) == Names{});
  redis.command({"SET", "rl:bob:minute", "5", "EX", "60"});
  CHECK(found(redis, {}, 1) == Names{"endless-block"});
}

TEST_CASE("doctor finds what was prepared: keys, eviction, a slow script") {
  TestRedis redis;
  redis.command({"SET", "rl:10.0.0.1", "5", "EX", "60"});
  redis.command({"SET", "rl:10.0.0.2", "5"});
  redis.command({"SET", "rl:10.0.0.2:blocked", "1"});
  redis.command({"SET", "b:{u1}.tokens", "-3", "EX", "60"});
  redis.command({"SET", "LIMITS:7", "3", "EX", "60"});
  redis.command({"RPUSH", "LIMITS:8", "1795214760.123"});
  redis.command({"EXPIRE", "LIMITS:8", "60"});
  redis.command({"CONFIG", "SET", "maxmemory", "1000000000"});
  redis.command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  redis.command({"EVAL", "local x = 0 for i = 1, 5e6 do x = x + i end return x", "0"});
  CHECK(found(redis, {}, 1) == Names{"no-expiry", "endless-block", "impossible-balance",
                                     "mixed-types", "eviction", "slow-scripts", "no-persistence"});
  CHECK(found(redis, {"LIMITS:*", "--fail-on", "critical"}, 1).contains("mixed-types"));
  redis.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  CHECK(found(redis, {"b:{u2}", "--fail-on", "critical"}, 0) ==
        Names{"slow-scripts", "no-persistence"});
  const std::string text = redis.rlctl({"doctor"}).out;
  CHECK(contains(text,
                 "critical: no-expiry\n  seen  1 key like rl:#.#.#.# never expires (1 other "
                 "does), such as 'rl:10.0.0.2'\n"));
}

TEST_CASE("doctor examines scripts, and names what it may not see") {
  TestRedis redis;
  const Folder files;
  const std::string script = files.write("mine.lua", "return redis.call('INCR', KEYS[1])");
  const Outcome outcome = redis.rlctl({"doctor", "--script", script});
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "warning: writes-without-expiry"));
  CHECK(contains(outcome.out, "mine.lua:1: "));
  redis.command({"ACL", "SETUSER", "default", "-slowlog", "-time"});
  const Outcome partial = redis.rlctl({"doctor"});
  CHECK(partial.exit == 4);
  CHECK(contains(partial.err, "not seen: SLOWLOG (this grants it: ACL SETUSER "));
  CHECK(contains(partial.err, "TIME (this grants it: ACL SETUSER "));
  CHECK(contains(partial.err, " +time)"));
  CHECK(redis.rlctl({"doctor", "--fail-on", "never"}).exit == 2);
  CHECK(redis.rlctl({"doctor", "--script", "/no/such.lua"}).exit == 2);
}

TEST_CASE("doctor finds keys without an end, and keys that outlive their window") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"RPUSH", "log:1", "1795214760.123"});
  redis.command({"SET", "rl:1", "5", "EX", "3600"});
  CHECK(found(redis, {"*", "--limit", "10", "--window", "1m", "--fail-on", "critical"}, 0) ==
        Names{"kept-for-ever", "long-expiry"});
}

TEST_CASE("doctor finds a memory that is full, and one that holds no more clients") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  for (int i = 0; i < 50; ++i) {
    const std::string key = "rl:10.0.0." + std::to_string(i);
    redis.command({"EVAL",
                   "for i = 1, 5000 do redis.call('ZADD', KEYS[1], ARGV[1] + i, i) end "
                   "redis.call('EXPIRE', KEYS[1], 60)",
                   "1", key, "1795214760123456"});
  }
  redis.command({"SLOWLOG", "RESET"});
  redis.command({"CONFIG", "SET", "maxmemory", "1000mb"});
  CHECK(found(redis, {}, 0) == Names{});
  CHECK(contains(redis.rlctl({"doctor"}).out, " more fit\n"));
  redis.command({"CONFIG", "SET", "maxmemory", "1000"});
  CHECK(contains(redis.text({"SET", "rl:1", "1"}), "OOM"));
  CHECK(found(redis, {}, 1) == Names{"full-memory", "little-room"});
  const Json told = Json::parse(redis.rlctl({"doctor", "--json"}).out);
  CHECK(told["clients"] == 50);
  CHECK(told["bytes_per_client"] > 100'000);
  CHECK(told["clients_that_fit"] == 0);
}

TEST_CASE("doctor finds that writes are refused for want of replicas") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"CONFIG", "SET", "min-replicas-to-write", "2"});
  CHECK(contains(redis.text({"SET", "rl:1", "1"}), "NOREPLICAS"));
  CHECK(found(redis, {}, 1) == Names{"too-few-replicas"});
  CHECK(
      contains(redis.rlctl({"doctor"}).out,
               "critical: too-few-replicas\n  seen  min-replicas-to-write needs 2 replicas, and 0 "
               "are connected and in time (min-replicas-max-lag)\n  then  every write is refused "
               "now (NOREPLICAS), and limiters fail open or closed\n  do    bring the replicas "
               "back; "));
  redis.command({"CONFIG", "SET", "min-replicas-max-lag", "0"});
  CHECK(redis.text({"SET", "rl:1", "1", "EX", "60"}) == "OK");
  CHECK(found(redis, {}, 0) == Names{});
}

TEST_CASE(
    "doctor finds that writes are refused because a snapshot or the append-only file failed") {
  const SmallDisk disk;
  TestRedis redis(disk.program());
  const std::vector<std::string> big{"SET", "big", std::string(200'000, 'x')};
  const auto persistence = [&] { return redis.text({"INFO", "persistence"}); };
  redis.command({"CONFIG", "SET", "rdbcompression", "no"});
  redis.command({"CONFIG", "SET", "save", "3600 1"});
  redis.command(big);
  redis.command({"BGSAVE"});
  wait_for(persistence, "rdb_last_bgsave_status:err");
  CHECK(contains(redis.text({"SET", "rl:1", "1"}), "MISCONF"));
  CHECK(found(redis, {}, 1) == Names{"failed-save", "snapshots-only"});
  redis.command({"CONFIG", "SET", "stop-writes-on-bgsave-error", "no"});
  CHECK(found(redis, {}, 0) == Names{"snapshots-only"});

  redis.command({"CONFIG", "SET", "save", ""});
  redis.command({"DEL", "big"});
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command(big);
  wait_for(persistence, "aof_last_write_status:err");
  CHECK(contains(redis.text({"SET", "rl:1", "1"}), "MISCONF"));
  CHECK(found(redis, {}, 1) == Names{"failed-save"});
  CHECK(contains(redis.rlctl({"doctor"}).out,
                 "seen  the last write to the append-only file failed (aof_last_write_status:err)\n"
                 "  then  every write is refused now (MISCONF), "));
}

TEST_CASE("doctor finds a replica that takes writes") {
  TestRedis replica;
  replica.command({"CONFIG", "SET", "appendonly", "yes"});
  replica.command({"REPLICAOF", "127.0.0.1", "1"});
  // Of a master, this would refuse every write.
  replica.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  CHECK(found(replica, {}, 4) == Names{});
  replica.command({"CONFIG", "SET", "replica-read-only", "no"});
  CHECK(found(replica, {}, 1) == Names{"writable-replica"});
  CHECK(contains(replica.rlctl({"doctor"}).out,
                 "seen  it is a replica of 127.0.0.1:1, and replica-read-only is no\n"));
}

TEST_CASE("doctor finds that Sentinels have no replica to put in the place of the master") {
  rlctl::test::PrivateRedis master, replica;
  const std::uint16_t port = master.tcp_endpoint().port;
  const auto sentinel = sentinel_of(port);
  const auto doctor = [&] {
    return run_rlctl({"doctor", "--redis",
                      "redis+sentinel://127.0.0.1:" +
                          std::to_string(sentinel->tcp_endpoint().port) + "/mymaster"});
  };
  master.command({"CONFIG", "SET", "appendonly", "yes"});
  const Outcome alone = doctor();
  INFO(alone.out << alone.err);
  CHECK(alone.exit == 1);
  CHECK(contains(alone.out,
                 "warning: no-failover\n  seen  Sentinels watch this master, but no replica is "
                 "connected to it\n"));
  CHECK(contains(run_rlctl({"doctor", "--redis", "unix://" + master.unix_endpoint().unix_path}).out,
                 "nothing found\n"));
  replica.command({"REPLICAOF", "127.0.0.1", std::to_string(port)});
  wait_for([&] { return master.command({"INFO", "replication"}).text; }, "connected_slaves:1");
  CHECK_FALSE(contains(doctor().out, "no-failover"));
}

TEST_CASE("doctor finds slots that no node has, and that the cluster refuses all keys for them") {
  rlctl::test::TestCluster servers({3, 0});
  for (std::size_t node = 0; node < 3; ++node)
    servers.command(node, {"CONFIG", "SET", "appendonly", "yes"});
  const std::string name = "127.0.0.1:" + std::to_string(servers.endpoint(0).port);
  const auto check_told = [&](const std::string& seen) {
    const Outcome outcome = run_rlctl({"doctor", "--redis", servers.url(), "--json"});
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit == 1);
    const Json told = Json::parse(outcome.out);
    REQUIRE(told["findings"].size() == 1);
    CHECK(told["findings"][0]["finding"] == "unserved-slots");
    CHECK(told["findings"][0]["seen"] == name + ": " + seen);
  };
  servers.command(0, {"CLUSTER", "DELSLOTS", "1"});
  check_told(
      "1 of 16,384 slots is not served; cluster_state is ok: only the keys of these slots are "
      "refused, or get no answer");
  servers.command(0, {"CONFIG", "SET", "cluster-require-full-coverage", "yes"});
  servers.command(0, {"CLUSTER", "DELSLOTS", "2"});
  wait_for([&] { return servers.command(0, {"CLUSTER", "INFO"}).text; }, "cluster_state:fail");
  check_told(
      "2 of 16,384 slots are not served; cluster_state is fail: all keys are refused "
      "(CLUSTERDOWN)");
}

TEST_CASE("doctor finds a hot key while it is counted") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  for (int i = 0; i < 20; ++i)
    redis.command({"SET", "rl:10.0.0." + std::to_string(i), "3", "EX", "600"});
  redis.command({"SET", "rl:10.0.0.9", "3000", "EX", "600"});
  const std::string socket = redis.url().substr(sizeof "unix://" - 1);
  const Stream stream(socket, "INCR rl:10.0.0.9\r\n");
  const Json told = Json::parse(redis.rlctl({"doctor", "--json"}).out);
  REQUIRE(told["findings"].size() == 1);
  CHECK(told["findings"][0]["finding"] == "hot-key");
  const std::string seen = told["findings"][0]["seen"];
  CAPTURE(seen);
  CHECK(seen.starts_with("'rl:10.0.0.9' grew by "));
  CHECK(contains(seen, ", 100 % of what 20 counters grew, read twice"));
}

TEST_CASE("doctor finds a hot key whose requests are denied, if the server counts uses") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lfu"});
  redis.command({"CONFIG", "SET", "lfu-log-factor", "0"});  // counts each use
  const std::string now = redis.command({"TIME"}).elements[0].text;
  for (int i = 0; i < 20; ++i) {
    const std::string key = "log:10.0.0." + std::to_string(i);
    redis.command({"RPUSH", key, now + ".25"});
    redis.command({"EXPIRE", key, "600"});
  }
  CHECK(found(redis, {}, 0) == Names{});
  const std::string socket = redis.url().substr(sizeof "unix://" - 1);
  const Stream stream(socket, "LINDEX log:10.0.0.9 -3\r\n");
  // The server's figure is an average of 1.6 s.
  while (!contains(redis.text({"INFO", "stats"}), "instantaneous_ops_per_sec:") ||
         std::stoll(redis.text({"INFO", "stats"})
                        .substr(redis.text({"INFO", "stats"}).find("ops_per_sec:") + 12)) < 2'000)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(found(redis, {}, 1) == Names{"hot-key"});
  CHECK(contains(redis.rlctl({"doctor"}).out,
                 "'log:10.0.0.9' is used so often that its OBJECT FREQ is 255 of 255, at "));
  redis.command({"ACL", "SETUSER", "default", "-object|freq"});
  const Outcome refused = redis.rlctl({"doctor"});
  CHECK(refused.exit == 4);
  CHECK(contains(refused.err, "not seen: OBJECT FREQ: NOPERM"));
  CHECK(contains(refused.err, " +object|freq)"));
}

TEST_CASE("doctor finds what a restart and a failover forget, and a replica that lags") {
  rlctl::test::PrivateRedis master, replica;
  const std::uint16_t port = master.tcp_endpoint().port;
  const std::string url = "unix://" + master.unix_endpoint().unix_path;
  const auto doctor = [&] { return run_rlctl({"doctor", "--redis", url, "--fail-on", "warning"}); };
  master.command({"CONFIG", "SET", "save", "3600 1"});
  master.command({"SET", "rl:1", "3", "EX", "60"});
  const Outcome alone = doctor();
  CHECK(alone.exit == 0);
  CHECK(contains(alone.out, "info: snapshots-only\n  seen  appendonly no, 1 change since"));
  replica.command({"REPLICAOF", "127.0.0.1", std::to_string(port)});
  while (!contains(master.command({"INFO", "replication"}).text, "state=online"))
    master.loop().run(rlctl::test::pause(master.loop(), 10'000));
  const Outcome followed = doctor();
  CHECK(followed.exit == 0);
  CHECK(contains(followed.out, "info: no-replica-wait\n"));
  replica.freeze();
  master.command({"SET", "big", std::string(2'000'000, 'x')});
  const Outcome lagging = doctor();
  replica.thaw();
  CHECK(lagging.exit == 1);
  CHECK(contains(lagging.out, "warning: replica-lag\n"));
}

TEST_CASE("doctor finds a clock that is off") {
  const OtherRedis other("TIME");
  TestRedis redis(other.program());
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  CHECK(found(redis, {}, 1) == Names{"clock-offset"});
  CHECK(contains(redis.rlctl({"doctor"}).out, " ahead of that of this machine\n"));
  const Json clocks = Json::parse(redis.rlctl({"doctor", "--json"}).out)["clocks"];
  REQUIRE(clocks.size() == 1);
  CHECK(contains(clocks[0]["server"], redis.url()));
  CHECK(clocks[0]["from_us"] <= 90'000'000);
  CHECK(clocks[0]["to_us"] >= 90'000'000);
}

TEST_CASE("doctor finds a script that an old server refuses") {
  const Folder folder;
  const OtherRedis other("INFO");
  TestRedis redis(other.program());
  redis.command({"CONFIG", "SET", "save", "3600 1"});
  const std::string script = folder.write(
      "time.lua", "local t = redis.call('TIME')\nredis.call('SET', KEYS[1], t[1], 'EX', 60)\n");
  CHECK(found(redis, {"--script", script}, 1) == Names{"write-refused", "snapshots-only"});
}

TEST_CASE("doctor reads the Lua of function libraries") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  const auto load = [&](const std::string& name, const std::string& body) {
    return redis.text({"FUNCTION", "LOAD", "REPLACE",
                       "#!lua name=" + name + "\nredis.register_function('" + name +
                           "', function(KEYS, ARGV)\n" + body + "\nend)"});
  };
  CHECK(load("limit",
             "local t = redis.call('TIME')\n"
             "redis.call('SET', KEYS[1], t[1], 'EX', 60)\nreturn 1") == "limit");
  CHECK(found(redis, {}, 0) == Names{});
  load("forgets", "return redis.call('INCR', KEYS[1])");
  load("renews", "redis.call('INCR', KEYS[1])\nredis.call('EXPIRE', KEYS[1], 60)");
  load("merges",
       "redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1])\n"
       "redis.call('EXPIRE', KEYS[1], 60)");
  load("rounds",
       "local t = redis.call('TIME')\nlocal now = t[1] * 1000000 + t[2]\n"
       "redis.call('SET', KEYS[1], tostring(now), 'EX', 60)");
  load("exceeds",
       "local n = redis.call('ZCARD', KEYS[1])\nif n <= limit then\n"
       "  redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])\n"
       "  redis.call('EXPIRE', KEYS[1], 60)\nend");
  CHECK(found(redis, {}, 1) == Names{"writes-without-expiry", "renewed-expiry", "member-is-time",
                                     "time-loses-digits", "one-too-many"});
}

TEST_CASE("doctor says which servers refuse a write after TIME") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  const Folder files;
  const std::string body =
      "local t = redis.call('TIME')\nredis.call('SET', KEYS[1], t[1], 'EX', 60)\n";
  const std::string script = files.write("time.lua", body);
  CHECK(found(redis, {"--script", script}, 0) == Names{"time-before-write"});
  const std::string safe = files.write("safe.lua", "redis.replicate_commands()\n" + body);
  CHECK(found(redis, {"--script", safe}, 0) == Names{});
}

TEST_CASE("doctor: Ctrl-C ends with 130, whatever was found until then") {
  TestRedis redis;
  for (int i = 0; i < 5'000; ++i) redis.command({"SET", "rl:" + std::to_string(i), "1"});
  for (const char* fail_on : {"info", "critical"}) {
    redis.command({"CONFIG", "RESETSTAT"});
    const Outcome outcome = redis.rlctl_interrupted({"doctor", "rl:*", "--fail-on", fail_on}, [&] {
      if (redis.calls("scan") == 0) return false;
      redis.command({"CLIENT", "PAUSE", "500", "ALL"});
      return true;
    });
    CHECK(outcome.exit == 130);
    CHECK(contains(outcome.err, "all keys: interrupted"));
  }
}
