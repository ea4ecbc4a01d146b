// The order in which lockstep and a planned crash let commands through, with a fake Redis. The same
// against a real one: tests/redis/lockstep_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "run/crash_point.h"
#include "run/lockstep.h"
#include "unit/run/fakes.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kForeverUs = 3'600'000'000;

// Notes each command as user and command, and answers over a network.
class FakeRedis final : public Redis {
 public:
  FakeRedis(Loop& loop, ShuffledNetwork& network, char user, std::string& trail)
      : loop_(loop), network_(network), user_(user), trail_(trail) {}

  void start(Exchange& exchange, std::string_view wire) override {
    const bool reset = wire.find("RESET") != std::string_view::npos;
    trail_ += std::string(1, user_) + (reset ? "reset" : std::string(wire)) + " ";
    loop_.spawn(answer(loop_, network_, exchange));
  }

 private:
  static Task<> answer(Loop& loop, ShuffledNetwork& network, Exchange& exchange) {
    co_await network.round_trip();
    exchange.state = Exchange::State::replied;
    loop.resume(exchange.waiter);
  }

  Loop& loop_;
  ShuffledNetwork& network_;
  char user_;
  std::string& trail_;
};

// Users a, b, c …, each with its own connection.
struct Crowd {
  explicit Crowd(std::size_t users, std::uint64_t network_seed = 1) : network(loop, network_seed) {
    for (std::size_t i = 0; i < users; ++i)
      connections.push_back(
          std::make_unique<FakeRedis>(loop, network, static_cast<char>('a' + i), trail));
  }

  Loop loop;
  ShuffledNetwork network;
  std::string trail;
  std::vector<std::unique_ptr<FakeRedis>> connections;
};

// One attempt of this many commands.
Task<> steps(Lockstep::User& user, int commands) {
  user.enter();
  for (int i = 1; i <= commands; ++i) {
    const std::string wire = std::to_string(i);
    co_await user.send(wire);
  }
  user.leave();
}

std::string played(const std::vector<int>& commands_of_users, std::uint64_t network_seed,
                   std::int64_t* steps_sent = nullptr) {
  Crowd crowd(commands_of_users.size(), network_seed);
  Lockstep gate(crowd.loop, commands_of_users.size(), kForeverUs);
  std::vector<Lockstep::User*> users;
  for (const auto& connection : crowd.connections) users.push_back(&gate.add(*connection));
  for (std::size_t i = users.size(); i-- > 0;)  // the last one begins first
    crowd.loop.spawn(steps(*users[i], commands_of_users[i]));
  crowd.loop.run(crowd.loop.join());
  CHECK(gate.impatient() == 0);
  if (steps_sent != nullptr) *steps_sent = gate.steps();
  return crowd.trail;
}

// Sends `commands` commands; the state of the last one that was answered or refused.
Task<Exchange> attempt(CrashPoint::User& user, int commands) {
  user.begin();
  Exchange last;
  for (int i = 1; i <= commands; ++i) {
    const std::string wire = std::to_string(i);
    last = co_await user.send(wire);
    if (last.state != Exchange::State::replied) break;
  }
  co_return last;
}

}  // namespace

TEST_CASE("lockstep sends each step of all users together, in the users' order") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    std::int64_t sent = 0;
    CHECK(played({3, 3, 3}, seed, &sent) == "a1 b1 c1 a2 b2 c2 a3 b3 c3 ");
    CHECK(sent == 3);
  }
}

TEST_CASE("lockstep goes on with those who have more to send when others have left") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    CHECK(played({1, 3, 2}, seed) == "a1 b1 c1 b2 c2 b3 ");
  }
}

TEST_CASE("lockstep does not wait for users who never entered, once patience has passed") {
  Crowd crowd(2);
  Lockstep gate(crowd.loop, 5, 1'000);
  Lockstep::User& a = gate.add(*crowd.connections[0]);
  Lockstep::User& b = gate.add(*crowd.connections[1]);
  crowd.loop.spawn(steps(a, 2));
  crowd.loop.spawn(steps(b, 2));
  crowd.loop.run(crowd.loop.join());
  CHECK(crowd.trail == "a1 b1 a2 b2 ");
  CHECK(gate.impatient() == 1);
}

TEST_CASE("lockstep gathers anew when everyone has left") {
  Crowd crowd(2);
  Lockstep gate(crowd.loop, 2, kForeverUs);
  Lockstep::User& a = gate.add(*crowd.connections[0]);
  Lockstep::User& b = gate.add(*crowd.connections[1]);
  for (int round = 0; round < 2; ++round) {
    crowd.loop.spawn(steps(b, 1));
    crowd.loop.spawn(steps(a, 1));
    crowd.loop.run(crowd.loop.join());
  }
  CHECK(crowd.trail == "a1 b1 a1 b1 ");
  gate.set_gather(1);
  crowd.loop.run(steps(b, 2));
  CHECK(crowd.trail == "a1 b1 a1 b1 b1 b2 ");
}

TEST_CASE("without a planned crash every command goes through") {
  Crowd crowd(1);
  CrashPoint point(crowd.loop);
  CrashPoint::User user(point, *crowd.connections[0]);
  CHECK(crowd.loop.run(attempt(user, 3)).state == Exchange::State::replied);
  CHECK(crowd.trail == "a1 a2 a3 ");
}

TEST_CASE("a client crashes after so many commands of one decision, and its connection is reset") {
  Crowd crowd(1);
  CrashPoint point(crowd.loop);
  CrashPoint::User user(point, *crowd.connections[0]);
  point.arm(2);
  const Exchange crashed = crowd.loop.run(attempt(user, 4));
  CHECK(crashed.state == Exchange::State::not_sent);
  CHECK(crashed.problem == "the client crashed here, as planned in the scenario");
  CHECK(crowd.trail == "a1 a2 areset ");
  CHECK(crowd.loop.run(attempt(user, 3)).state == Exchange::State::replied);
  CHECK(crowd.trail == "a1 a2 areset a1 a2 a3 ");
}

TEST_CASE("a planned crash waits for a decision that is long enough, and hits only one client") {
  Crowd crowd(2);
  CrashPoint point(crowd.loop);
  CrashPoint::User a(point, *crowd.connections[0]);
  CrashPoint::User b(point, *crowd.connections[1]);
  point.arm(2);
  CHECK(crowd.loop.run(attempt(a, 2)).state == Exchange::State::replied);
  CHECK(crowd.loop.run(attempt(b, 3)).state == Exchange::State::not_sent);
  CHECK(crowd.loop.run(attempt(a, 3)).state == Exchange::State::replied);
  CHECK(crowd.trail == "a1 a2 b1 b2 breset a1 a2 a3 ");
}

TEST_CASE("a crash before the first command leaves nothing in Redis") {
  Crowd crowd(1);
  CrashPoint point(crowd.loop);
  CrashPoint::User user(point, *crowd.connections[0]);
  point.arm(0);
  CHECK(crowd.loop.run(attempt(user, 3)).state == Exchange::State::not_sent);
  CHECK(crowd.trail == "areset ");
}
