// Runs the built rlctl as a user does and returns its output and exit code. Waits until the child
// has ended. Throws std::runtime_error if it can't be started. RLCTL_BINARY is the program.
#pragma once

#include <signal.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

struct Outcome {
  int exit = -1;    // the exit code, or 128 + the number of the signal that ended it
  std::string out;  // on a terminal: both streams, as the terminal received them
  std::string err;
  long peak_kib = 0;  // its peak memory
};

using Arguments = std::vector<std::string>;

// Piped, with `input` on standard input. `environment` holds NAME=value to add. A result on
// standard output must obey its published schema (cli/support/published_json.h).
Outcome run_rlctl(const Arguments& arguments, const std::string& input = {},
                  const Arguments& environment = {});

// The same for another program, found on PATH: a shell, dpkg-deb.
Outcome run_program(const std::string& program, const Arguments& arguments,
                    const std::string& input = {}, const Arguments& environment = {});

// Fed piece by piece by `feed`, which calls what it is given; for input too large to hold.
using Send = std::function<void(std::string_view)>;
Outcome run_rlctl_fed(const Arguments& arguments, const std::function<void(const Send&)>& feed);

// Interrupted as by Ctrl-C, or by another signal, once `ready` is true; it is asked every 10 ms for
// a minute at most.
Outcome run_rlctl_interrupted(const Arguments& arguments, const std::function<bool()>& ready,
                              int signal = SIGINT);

// On a terminal of 80 columns, where `typed` is what the user types. TERM is xterm unless an
// environment is given.
Outcome run_rlctl_on_terminal(const Arguments& arguments, const std::string& typed = {},
                              const Arguments& environment = {});

// Of all processes that have the word in their arguments.
std::string command_lines_with(const std::string& word);

bool contains(const std::string& text, const std::string& part);
