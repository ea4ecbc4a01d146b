// Errands: tasks that nobody awaits, such as one that follows a redirection. Owns their frames
// until they are done or the errands are destroyed; a task must not throw. One thread.
#pragma once

#include <utility>
#include <vector>

#include "io/task.h"

namespace rlctl {

class Errands {
 public:
  // Starts the task: the part before its first suspension runs before add returns.
  void add(Task<> task) {
    std::erase_if(tasks_, [](const Task<>& old) { return old.done(); });
    tasks_.push_back(std::move(task));
    tasks_.back().start();
  }

 private:
  std::vector<Task<>> tasks_;
};

}  // namespace rlctl
