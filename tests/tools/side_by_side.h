// Tests that mostly wait go on at the same time, each in a thread of its own. `ask` may check,
// because doctest allows threads. Servers must be started before: a child of a thread ends with it.
#pragma once

#include <future>
#include <vector>

namespace rlctl::test {

// The answers, in the order of the cases. Throws what the first one that failed has thrown.
template <class Case, class Ask>
auto side_by_side(const std::vector<Case>& cases, Ask ask) {
  std::vector<std::future<decltype(ask(cases.front()))>> running;
  for (const Case& one : cases)
    running.push_back(std::async(std::launch::async, [&ask, &one] { return ask(one); }));
  std::vector<decltype(ask(cases.front()))> answers;
  for (auto& one : running) answers.push_back(one.get());
  return answers;
}

}  // namespace rlctl::test
