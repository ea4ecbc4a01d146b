#include "io/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace rlctl {

std::size_t cores() { return std::max(1U, std::thread::hardware_concurrency()); }

void work_on_threads(std::size_t threads, std::size_t pieces,
                     const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t)>& done) {
  std::atomic<std::size_t> next{0};
  std::mutex one_at_a_time;
  std::exception_ptr failure;
  const auto work_along = [&] {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) {
        work(piece);
        const std::lock_guard lock(one_at_a_time);
        done(piece);
      }
    } catch (...) {
      next = pieces;
      const std::lock_guard lock(one_at_a_time);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, pieces); ++i) others.emplace_back(work_along);
    work_along();
  }
  if (failure) std::rethrow_exception(failure);
}

void Assistant::begin(std::function<void()> work) {
  if (busy_.valid()) busy_.get();
  if (work) busy_ = std::async(std::launch::async, std::move(work));
}

}  // namespace rlctl
