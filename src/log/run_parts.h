// The parts of runs that several machines played (--shard 2/3): which ones the logs hold, and which
// are missing. Refuses what cannot be one run. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "log/record.h"

namespace rlctl {

class RunParts {
 public:
  void begin_file() { in_file_.clear(); }
  void end_file() { in_earlier_files_.insert(in_file_.begin(), in_file_.end()); }

  // The header of a log in the current file. Throws Error(Exit::usage) if another file had the same
  // part, if the parts are not of one number ("1/2" and "2/3"), and if one history would get parts
  // of several runs: each would lack what the others admitted.
  void add(const Log& header);

  // After the last header. Throws Error(Exit::usage) if several runs were given and one of them
  // lacks a part, also if their histories differ: then somebody has mixed up the files.
  void refuse_incomplete() const;
  // Sets the parts that the log of these runs has, those that it lacks, and several runs.
  void describe(const std::set<std::string>& runs, Log& log) const;

 private:
  struct Run {
    std::uint32_t count = 1;         // "3" of "2/3"
    std::set<std::uint32_t> played;  // "2"
  };
  static std::string missing(const Run& run);
  void refuse_twice(const Log& header);
  void refuse_mixture(const Log& header);

  std::map<std::string, Run> runs_;  // by id
  // By algorithm and history, which is what is judged together.
  std::map<std::string, std::set<std::string>> runs_of_history_;
  std::set<std::string> in_file_;
  std::set<std::string> in_earlier_files_;
};

// "2 runs ('a', 'b')".
std::string runs_in_words(const std::vector<std::string>& runs);
// What is taken for granted; empty: the log is of one run, or it is not known.
std::string several_runs_note(const Log& log);

}  // namespace rlctl
