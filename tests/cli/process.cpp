#include "cli/process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace {

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

[[noreturn]] void exec_program(const std::string& program, const Arguments& arguments) {
  std::vector<char*> argv{const_cast<char*>(program == RLCTL_BINARY ? "rlctl" : program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(program.c_str(), argv.data());
  _exit(127);
}

void wait_for(pid_t child, Outcome& outcome) {
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) throw std::runtime_error("wait4");
  outcome.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.peak_kib = usage.ru_maxrss;
}

// False at the end of the stream; a terminal whose other side has gone says EIO.
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
                     const Arguments& environment, const std::function<void(const Send&)>& feed) {
  Pipe in, out, err;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    dup2(in.ends[0], STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    dup2(err.ends[1], STDERR_FILENO);
    for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
    exec_program(program, arguments);
  }
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  feed([&](std::string_view bytes) { write_all(in.ends[1], bytes); });
  in.close_end(1);
  Outcome outcome;
  read_all(out, err, outcome);
  wait_for(child, outcome);
  return outcome;
}

}  // namespace

Outcome run_rlctl(const Arguments& arguments, const std::string& input,
                  const Arguments& environment) {
  return run_program(RLCTL_BINARY, arguments, input, environment);
}

Outcome run_program(const std::string& program, const Arguments& arguments,
                    const std::string& input, const Arguments& environment) {
  // A few lines: a pipe holds them.
  return run_and_feed(program, arguments, environment, [&](const Send& send) { send(input); });
}

Outcome run_rlctl_fed(const Arguments& arguments, const std::function<void(const Send&)>& feed) {
  return run_and_feed(RLCTL_BINARY, arguments, {}, feed);
}

Outcome run_rlctl_on_terminal(const Arguments& arguments, const std::string& typed) {
  winsize size{24, 80, 0, 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("forkpty");
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    exec_program(RLCTL_BINARY, arguments);
  }
  write_all(terminal, typed);
  Outcome outcome;
  while (read_some(terminal, outcome.out)) continue;
  close(terminal);
  wait_for(child, outcome);
  return outcome;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
