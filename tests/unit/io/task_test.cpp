#include "io/task.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "io/clock.h"
#include "io/loop.h"

using namespace rlctl;

namespace {

Task<int> number(int value) { co_return value; }

Task<std::unique_ptr<int>> owned(int value) { co_return std::make_unique<int>(value); }

Task<int> failing() {
  throw std::runtime_error("no luck");
  co_return 0;
}

Task<std::string> caught() {
  try {
    co_await failing();
  } catch (const std::runtime_error& error) {
    co_return error.what();
  }
  co_return "nothing was thrown";
}

Task<int> nested(int depth) {
  if (depth == 0) co_return 0;
  const int below = co_await nested(depth - 1);
  co_return below + 1;
}

// Counts the living objects: what a coroutine holds must be destroyed with it.
struct Counted {
  explicit Counted(int& alive) : alive_(alive) { ++alive_; }
  ~Counted() { --alive_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int& alive_;
};

Task<> wait_holding(int& alive) {
  const Counted held(alive);
  co_await std::suspend_always{};
}

Task<> wait_in_depth(int& alive, int depth) {
  const Counted held(alive);
  if (depth == 0) co_await std::suspend_always{};
  co_await wait_in_depth(alive, depth - 1);
}

Task<> set_after(Loop& loop, std::int64_t delay_us, std::string& order, char name) {
  co_await loop.until(now_us() + delay_us);
  order += name;
}

Task<> fail_after(Loop& loop, std::int64_t delay_us) {
  co_await loop.until(now_us() + delay_us);
  throw std::runtime_error("late");
}

Task<> spawn_many(Loop& loop, int& count, int depth) {
  ++count;
  for (int i = 0; depth > 0 && i < 3; ++i) loop.spawn(spawn_many(loop, count, depth - 1));
  co_await loop.until(now_us() + 100);
}

}  // namespace

TEST_CASE("a task runs only when it is awaited, and then gives its value") {
  Loop loop;
  bool started = false;
  auto body = [](bool& flag) -> Task<int> {
    flag = true;
    co_return 7;
  };
  Task<int> task = body(started);
  CHECK_FALSE(started);
  CHECK(loop.run(std::move(task)) == 7);
  CHECK(started);
  CHECK(*loop.run(owned(3)) == 3);
}

TEST_CASE("an exception is thrown where the task is awaited") {
  Loop loop;
  CHECK(loop.run(caught()) == "no luck");
  CHECK_THROWS_AS(loop.run(failing()), std::runtime_error);
}

TEST_CASE("destroying a suspended task destroys everything it holds, at any depth") {
  int alive = 0;
  {
    Task<> task = wait_holding(alive);
    task.start();
    CHECK(alive == 1);
    CHECK_FALSE(task.done());
    Task<> deep = wait_in_depth(alive, 10);
    deep.start();
    CHECK(alive == 12);
    task = std::move(deep);
    CHECK(alive == 11);
  }
  CHECK(alive == 0);
}

TEST_CASE("a chain of tasks gives its value from any depth") {
  Loop loop;
  CHECK(loop.run(nested(1'000)) == 1'000);
}

TEST_CASE("a task that was never started leaves nothing behind") {
  int alive = 0;
  {
    const Task<> task = wait_holding(alive);
    const Task<int> other = number(1);
    CHECK_FALSE(task.done());
    CHECK_FALSE(other.done());
  }
  CHECK(alive == 0);
}

TEST_CASE("sleepers wake in the order of their times, and never early") {
  Loop loop;
  std::string order;
  const std::int64_t start_us = now_us();
  loop.spawn(set_after(loop, 40'000, order, 'c'));
  loop.spawn(set_after(loop, 20'000, order, 'b'));
  loop.spawn(set_after(loop, -5, order, 'a'));
  CHECK(order == "a");
  loop.run(loop.join());
  CHECK(order == "abc");
  CHECK(now_us() - start_us >= 40'000);
}

TEST_CASE("join rethrows an exception of a spawned task, and the loop continues") {
  Loop loop;
  std::string order;
  loop.spawn(fail_after(loop, 1'000));
  loop.spawn(set_after(loop, 2'000, order, 'a'));
  CHECK_THROWS_AS(loop.run(loop.join()), std::runtime_error);
  CHECK(order == "a");
  loop.spawn(set_after(loop, 1'000, order, 'b'));
  loop.run(loop.join());
  CHECK(order == "ab");
}

TEST_CASE("tasks may spawn tasks, and join waits for all of them") {
  Loop loop;
  int count = 0;
  loop.spawn(spawn_many(loop, count, 5));
  loop.run(loop.join());
  CHECK(count == 1 + 3 + 9 + 27 + 81 + 243);
}

TEST_CASE("destroying a loop destroys its unfinished tasks") {
  int alive = 0;
  {
    Loop loop;
    loop.spawn(wait_holding(alive));
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

TEST_CASE("spinning before waiting changes only the waiting") {
  Loop loop;
  loop.set_spin_us(200);
  std::string order;
  loop.spawn(set_after(loop, 3'000, order, 'b'));
  loop.spawn(set_after(loop, 50, order, 'a'));
  loop.run(loop.join());
  CHECK(order == "ab");
}

TEST_CASE("the second signal ends the process, even if the loop never gets to its events") {
  for (const int second : {SIGINT, SIGTERM}) {
    const pid_t child = fork();
    if (child == 0) {
      for (const int number : {SIGINT, SIGTERM}) signal(number, SIG_IGN);  // as a background job
      Loop loop;
      loop.watch_signals();
      raise(SIGINT);
      for (int i = 0; i < 1'000 && loop.interrupted(); ++i, usleep(10'000)) raise(second);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == second);
  }
}

TEST_CASE("two signals at once are one, as timeout(1) sends them") {
  const pid_t child = fork();
  if (child == 0) {
    Loop loop;
    loop.watch_signals();
    for (int i = 0; i < 2; ++i) raise(SIGINT);
    _exit(loop.interrupted() ? 7 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}
