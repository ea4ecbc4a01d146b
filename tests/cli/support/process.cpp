#include "cli/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "cli/support/published_json.h"

namespace {

using namespace std::chrono_literals;

struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  int ends[2] = {-1, -1};
};

// Allocated before the fork: another thread of the test may hold the allocator's lock at that
// instant, and in the child nobody would ever release it.
class Program {
 public:
  Program(const std::string& name, const Arguments& arguments, const Arguments& environment)
      : name_(name) {
    argv_.push_back(const_cast<char*>(name == RLCTL_BINARY ? "rlctl" : name_.c_str()));
    for (const std::string& argument : arguments) add(argv_, argument);
    for (char** variable = environ; *variable != nullptr; ++variable)
      if (!replaces(environment, *variable)) envp_.push_back(*variable);
    for (const std::string& variable : environment) add(envp_, variable);
    argv_.push_back(nullptr);
    envp_.push_back(nullptr);
  }

  [[noreturn]] void become() const {
    execvpe(name_.c_str(), argv_.data(), envp_.data());
    _exit(127);
  }

 private:
  static void add(std::vector<char*>& list, const std::string& text) {
    list.push_back(const_cast<char*>(text.c_str()));
  }
  static bool replaces(const Arguments& environment, std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    return std::any_of(environment.begin(), environment.end(),
                       [&](const std::string& other) { return other.starts_with(name); });
  }

  const std::string name_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;
};

void wait_for(pid_t child, Outcome& outcome) {
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) throw std::runtime_error("wait4");
  outcome.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.peak_kib = usage.ru_maxrss;
}

// False at the end of the stream. A terminal whose other side has gone returns EIO.
bool read_some(int descriptor, std::string& text) {
  char bytes[4096];
  const ssize_t got = read(descriptor, bytes, sizeof bytes);
  if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
  return got > 0;
}

// Both streams at once: a child that fills one must not wait for ever.
void read_all(Pipe& out, Pipe& err, Outcome& outcome) {
  pollfd streams[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    poll(streams, 2, -1);
    for (int i = 0; i < 2; ++i)
      if (streams[i].fd >= 0 && streams[i].revents != 0 &&
          !read_some(streams[i].fd, i == 0 ? outcome.out : outcome.err))
        streams[i].fd = -1;
  }
}

void write_all(int descriptor, std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(descriptor, text.data() + done, text.size() - done);
    if (written <= 0) return;  // the child has gone
    done += static_cast<std::size_t>(written);
  }
}

Outcome run_and_feed(const std::string& program, const Arguments& arguments,
                     const Arguments& environment,
                     const std::function<void(pid_t, const Send&)>& feed) {
  Pipe in, out, err;
  const Program child_program(program, arguments, environment);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    dup2(in.ends[0], STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    dup2(err.ends[1], STDERR_FILENO);
    child_program.become();
  }
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  feed(child, [&](std::string_view bytes) { write_all(in.ends[1], bytes); });
  in.close_end(1);
  Outcome outcome;
  read_all(out, err, outcome);
  wait_for(child, outcome);
  return outcome;
}

}  // namespace

Outcome run_rlctl(const Arguments& arguments, const std::string& input,
                  const Arguments& environment) {
  Outcome outcome = run_program(RLCTL_BINARY, arguments, input, environment);
  check_published_json(outcome.out);
  return outcome;
}

Outcome run_program(const std::string& program, const Arguments& arguments,
                    const std::string& input, const Arguments& environment) {
  // A few lines: they fit in a pipe.
  return run_and_feed(program, arguments, environment,
                      [&](pid_t, const Send& send) { send(input); });
}

Outcome run_rlctl_fed(const Arguments& arguments, const std::function<void(const Send&)>& feed) {
  return run_and_feed(RLCTL_BINARY, arguments, {}, [&](pid_t, const Send& send) { feed(send); });
}

Outcome run_rlctl_interrupted(const Arguments& arguments, const std::function<bool()>& ready,
                              int signal) {
  const auto interrupt = [&](pid_t child, const Send&) {
    for (int i = 0; i < 6000 && !ready(); ++i) std::this_thread::sleep_for(10ms);
    kill(child, signal);
  };
  return run_and_feed(RLCTL_BINARY, arguments, {}, interrupt);
}

Outcome run_rlctl_on_terminal(const Arguments& arguments, const std::string& typed,
                              const Arguments& environment) {
  winsize size{24, 80, 0, 0};
  int terminal = -1;
  Arguments with_terminal = environment;
  if (std::none_of(environment.begin(), environment.end(),
                   [](const std::string& variable) { return variable.starts_with("TERM="); }))
    with_terminal.emplace_back("TERM=xterm");
  const Program rlctl(RLCTL_BINARY, arguments, with_terminal);
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("forkpty");
  if (child == 0) rlctl.become();
  write_all(terminal, typed);
  Outcome outcome;
  while (read_some(terminal, outcome.out)) continue;
  close(terminal);
  wait_for(child, outcome);
  return outcome;
}

std::string command_lines_with(const std::string& word) {
  std::string all;
  std::error_code gone;
  for (const auto& process : std::filesystem::directory_iterator("/proc", gone)) {
    std::ifstream file(process.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (contains(line, word)) all += line;
  }
  return all;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
