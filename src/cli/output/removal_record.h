// RemovalRecord: what became of each key that reset has found, on standard output: a line for each
// that was removed, or one JSON object with all. It is written as it comes, so that millions of
// keys need no memory, and nothing of it is lost with a connection. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/redis/endpoint.h"
#include "io/redis/keyspace.h"

namespace rlctl {

class RemovalRecord {
 public:
  // `dry_run`: `removed` means that it would be.
  RemovalRecord(bool json, bool dry_run, Endpoint endpoint)
      : json_(json), dry_run_(dry_run), endpoint_(std::move(endpoint)) {}

  void add(const std::vector<RemovedKey>& keys);

  std::int64_t count(Removal what) const { return counts_[static_cast<std::size_t>(what)]; }
  std::int64_t left() const;  // still there, and Redis has answered

  // The end of the object; and on standard error why the first keys are still there.
  void finish(bool complete);

 private:
  std::string line_of(const RemovedKey& key) const;
  std::string element_of(const RemovedKey& key);
  std::string head() const;
  std::string why_left(const RemovedKey& key);

  bool json_;
  bool dry_run_;
  Endpoint endpoint_;  // for the commands that are proposed
  std::array<std::int64_t, 7> counts_{};
  std::vector<std::string> left_;  // why, of the first ones
  std::string last_hint_;
};

}  // namespace rlctl
