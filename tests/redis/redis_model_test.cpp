// Compares the model of Redis with a redis-server: thousands of random commands, reply by reply.
#include "run/explore/model/redis_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "redis_fixture.h"

namespace rlctl::test {
namespace {

constexpr std::size_t kClients = 3;

std::string shown(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Formats a reply of either side as text. A status and a string differ.
std::string shown(const Answered& reply) {
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      return ":" + std::to_string(reply.integer);
    case REDIS_REPLY_STATUS:
      return "+" + reply.text;
    case REDIS_REPLY_STRING:
      return "$" + reply.text;
    case REDIS_REPLY_ERROR:
      return "-" + reply.text;
    case REDIS_REPLY_ARRAY: {
      std::string text = "[";
      for (const Answered& element : reply.elements) text += shown(element) + " ";
      return text + "]";
    }
    default:
      return "nil";
  }
}

std::string shown(const Reply& reply) {
  switch (reply.type) {
    case Reply::Type::integer:
      return ":" + std::to_string(reply.integer);
    case Reply::Type::status:
      return "+" + reply.text;
    case Reply::Type::string:
      return "$" + reply.text;
    case Reply::Type::error:
      return "-" + reply.text;
    case Reply::Type::array: {
      std::string text = "[";
      for (const Reply& element : reply.elements) text += shown(element) + " ";
      return text + "]";
    }
    default:
      return "nil";
  }
}

// K key, V value, I integer, F number, S score bound, M member, O option of EXPIRE, A aggregate.
constexpr const char* kShapes =
    "GET K;GET K;SET K V;SET K I;SET K I NX;SET K I XX;SET K V GET;SET K I EX 100;"
    "SET K I PX 100000 NX;SET K I KEEPTTL;SET K V EX I;SETNX K I;SETEX K 100 I;PSETEX K 100000 V;"
    "GETSET K V;GETDEL K;MGET K K K;MSET K I K I;STRLEN K;APPEND K I;INCR K;INCR K;DECR K;"
    "INCRBY K I;DECRBY K I;INCRBYFLOAT K F;DEL K;UNLINK K K;EXISTS K K;TYPE K;EXPIRE K 100;"
    "EXPIRE K 200;EXPIRE K I;EXPIRE K 150 O;PEXPIRE K 100000;PEXPIRE K 0;"
    "PEXPIREAT K 3000000000000;EXPIREAT K 3000000000;EXPIREAT K 1;EXPIRETIME K;PERSIST K;TTL K;"
    "LPUSH K I;RPUSH K I I;LPUSHX K I;RPUSHX K V;LPOP K;RPOP K;LPOP K I;RPOP K 2;LLEN K;"
    "LINDEX K I;LSET K I V;LRANGE K I I;LRANGE K 0 -1;LTRIM K I I;LREM K I I;HSET K M I;"
    "HSET K M I M I;HMSET K M V;HSETNX K M I;HGET K M;HMGET K M M;HGETALL K;HKEYS K;HVALS K;"
    "HDEL K M;HDEL K M M;HEXISTS K M;HLEN K;HINCRBY K M I;HINCRBYFLOAT K M F;SADD K M M;SREM K M;"
    "SCARD K;SISMEMBER K M;ZADD K I M;ZADD K I M I M;ZADD K NX I M;ZADD K XX CH I M;"
    "ZADD K GT I M;ZADD K LT CH I M;ZADD K INCR I M;ZADD K NX INCR I M;ZADD K F M;ZADD K +inf M;"
    "ZADD K INCR -inf M;ZINCRBY K I M;ZREM K M;ZCARD K;ZSCORE K M;ZMSCORE K M M;ZRANK K M;"
    "ZREVRANK K M;ZPOPMIN K;ZPOPMAX K I;ZRANGE K I I;ZRANGE K 0 -1 WITHSCORES;"
    "ZRANGE K S S BYSCORE;ZRANGE K S S BYSCORE REV LIMIT I I;ZREVRANGE K I I WITHSCORES;"
    "ZRANGEBYSCORE K S S;ZRANGEBYSCORE K S S LIMIT I I;ZREVRANGEBYSCORE K S S WITHSCORES;"
    "ZUNIONSTORE K 2 K K;ZUNIONSTORE K I K K;ZUNIONSTORE K 2 K K WEIGHTS I F;"
    "ZUNIONSTORE K 3 K K K WEIGHTS 1 0 I AGGREGATE A;ZINTERSTORE K 2 K K;ZINTERSTORE K 1 K;"
    "ZINTERSTORE K 2 K K WEIGHTS 0 1;ZINTERSTORE K 2 K K AGGREGATE A WEIGHTS F F;"
    "ZDIFFSTORE K 2 K K;ZDIFFSTORE K 2 K K WEIGHTS 1 1;ZUNION 2 K K WITHSCORES;ZUNION I K K;"
    "ZINTER 2 K K WITHSCORES AGGREGATE A;ZINTER 3 K K K WEIGHTS I I I;ZDIFF 2 K K WITHSCORES;"
    "ZDIFF 3 K K K;ZINTERCARD 2 K K;ZINTERCARD 2 K K LIMIT I;ZRANGESTORE K K I I;"
    "ZRANGESTORE K K S S BYSCORE LIMIT I I;ZRANGESTORE K K 0 -1 WITHSCORES;"
    "ZRANGESTORE K K I I REV;ZCOUNT K S S;ZREMRANGEBYSCORE K S S;ZREMRANGEBYRANK K I I;"
    "MULTI;MULTI;EXEC;EXEC;EXEC;DISCARD;WATCH K;WATCH K K;UNWATCH;PING;ECHO V";

// Random commands that the model knows, valid ones and invalid ones.
class Commands {
 public:
  explicit Commands(std::uint64_t seed) : random_(seed) {}

  std::size_t client() { return below(kClients); }

  Words next() {
    const auto& shapes = all_shapes();
    Words words;
    std::string shape = shapes[below(shapes.size())];
    std::size_t at = 0;
    while (at <= shape.size()) {
      const std::size_t end = std::min(shape.find(' ', at), shape.size());
      append(words, shape.substr(at, end - at));
      at = end + 1;
    }
    spoil(words);
    return words;
  }

 private:
  // One form of a command per line; the words are those of append().
  static const std::vector<std::string>& all_shapes() {
    static const std::vector<std::string> shapes = [] {
      std::vector<std::string> lines;
      std::istringstream text(kShapes);
      for (std::string line; std::getline(text, line, ';');) lines.push_back(line);
      return lines;
    }();
    return shapes;
  }

  void append(Words& words, const std::string& part) {
    static const std::vector<std::string> integers = {"0", "1", "2", "3", "-1", "-2", "5", "10"};
    static const std::vector<std::string> odd = {
        "", "x", "01", "+1", " 1", "1.5", "9223372036854775807", "-9223372036854775808", "1e3"};
    static const std::vector<std::string> floats = {"0.5", "-0.25", "3", "1e2", "0.75", "x", "inf"};
    static const std::vector<std::string> bounds = {"-inf", "+inf", "(1", "2",   "(3",
                                                    "0",    "5",    "(x", "inf", "1.5"};
    static const std::vector<std::string> options = {"NX", "XX", "GT", "LT", "ZZ"};
    static const std::vector<std::string> aggregates = {"SUM", "MIN", "max", "AVG"};
    if (part == "K")
      words.push_back(std::string(1, static_cast<char>('a' + below(4))));
    else if (part == "M")
      words.push_back("m" + std::to_string(below(4)));
    else if (part == "I")
      words.push_back(below(12) == 0 ? one_of(odd) : one_of(integers));
    else if (part == "V")
      words.push_back(below(2) == 0 ? one_of(odd) : one_of(integers));
    else if (part == "F")
      words.push_back(one_of(floats));
    else if (part == "S")
      words.push_back(one_of(bounds));
    else if (part == "O")
      words.push_back(one_of(options));
    else if (part == "A")
      words.push_back(one_of(aggregates));
    else
      words.push_back(below(10) == 0 ? lower_case(part) : part);
  }

  // Sometimes one word too many or too few, except for these two: with one word more, Redis 7.2 and
  // later expect WITHSCORE and report another mistake.
  void spoil(Words& words) {
    if (const std::string name = lower_case(words[0]); name == "zrank" || name == "zrevrank")
      return;
    const std::size_t dice = below(60);
    if (dice == 0) words.push_back("1");
    if (dice == 1 && words.size() > 1) words.pop_back();
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  const std::string& one_of(const std::vector<std::string>& from) {
    return from[below(from.size())];
  }

  std::mt19937_64 random_;
};

// TTLs are in whole seconds or long, so the seconds that a test takes make no difference.
std::int64_t server_time_us(Connection& redis) {
  const Answered time = redis.ask({"TIME"});
  return std::stoll(time.elements[0].text) * 1'000'000 + std::stoll(time.elements[1].text);
}

// EXPIRETIME rounds to a second, and the server read its clock a little later than we did.
bool is_near(const Words& words, const std::string& a, const std::string& b) {
  const bool both_numbers = a.starts_with(":") && b.starts_with(":");
  if (words.front() != "EXPIRETIME" || !both_numbers) return false;
  return std::abs(std::stoll(a.substr(1)) - std::stoll(b.substr(1))) <= 1;
}

}  // namespace

TEST_CASE("the model gives the same replies as Redis") {
  Server server;
  Connection clock = server.connect();  // a client in MULTI can't ask for the time
  std::vector<Connection> clients;
  for (std::size_t i = 0; i < kClients; ++i) clients.push_back(server.connect());
  constexpr int kRounds = 60, kCommands = 150;
  for (int round = 0; round < kRounds; ++round) {
    for (Connection& client : clients) client.command({"DISCARD"});
    for (Connection& client : clients) client.command({"UNWATCH"});
    clock.ask({"FLUSHALL"});
    RedisModel model(kClients, server_time_us(clock));
    Commands commands(static_cast<std::uint64_t>(round));
    std::vector<std::string> course;
    for (int i = 0; i < kCommands; ++i) {
      const std::size_t client = commands.client();
      const Words words = commands.next();
      model.advance_to(server_time_us(clock));
      const std::string answer = shown(clients[client].command(words));
      course.push_back(std::to_string(client) + ": " + shown(words) + " = " + answer);
      std::string before;  // usually the last few commands show the reason
      for (std::size_t i_line = course.size() - std::min<std::size_t>(12, course.size());
           i_line < course.size(); ++i_line)
        before += "\n" + course[i_line];
      CAPTURE(before);
      std::string modelled = shown(model.execute(client, words));
      if (is_near(words, modelled, answer)) modelled = answer;
      CHECK(modelled == answer);
      if (modelled != answer) break;
    }
  }
}

}  // namespace rlctl::test
