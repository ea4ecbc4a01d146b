// KeySetup: runs the set-up script of a limiter once for each key, before the first decision of
// that key; other decisions of the key wait for it. Shared by all users of one call; owns only what
// it remembers of the keys. If a set-up fails, it is tried again at the next decision. One thread.
#pragma once

#include <coroutine>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "limiter/limiter.h"

namespace rlctl {

class KeySetup {
 public:
  // `runner` runs the set-up script. Returns why the key could not be set up; empty: it is.
  Task<std::string> prepare(Limiter& runner, Attempt attempt);

 private:
  struct Key {
    bool ended = false;
    std::string problem;
    std::vector<std::coroutine_handle<>> waiters;
  };
  struct Wait {
    Key& key;
    bool await_ready() const noexcept { return key.ended; }
    void await_suspend(std::coroutine_handle<> awaiting) { key.waiters.push_back(awaiting); }
    std::string await_resume() const { return key.problem; }
  };

  std::map<std::string, Key, std::less<>> keys_;
};

}  // namespace rlctl
