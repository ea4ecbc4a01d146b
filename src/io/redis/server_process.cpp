#include "io/redis/server_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "io/clock.h"

namespace rlctl {
namespace {

// What rlctl orders of the guard. The end of rlctl is an order, too.
constexpr char kStart = 'r';
constexpr char kStop = 's';
constexpr char kEnd = 'e';

// The guard creates this file if the server ended on its own.
constexpr const char* kEnded = "/ended";
constexpr const char* kConfiguration = "/redis.conf";
constexpr const char* kLog = "/redis.log";
// A replica keeps here what its master sent, and would start with it.
constexpr const char* kDump = "/dump.rdb";
constexpr useconds_t kPollUs = 2'000;
constexpr std::int64_t kStartTimeoutUs = 10'000'000;

std::string find_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = getenv("PATH");
  std::string rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string candidate = rest.substr(0, colon) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return "";
}

std::string find_server(const std::string& program) {
  if (!program.empty()) {
    const std::string found = find_on_path(program);
    if (found.empty())
      throw Error(Exit::target, "can't run '" + escape_for_terminal(program) + "' (--redis-server)",
                  "give the path of a redis-server or valkey-server");
    return found;
  }
  for (const char* name : {"redis-server", "valkey-server"})
    if (const std::string found = find_on_path(name); !found.empty()) return found;
  throw Error(Exit::target, "there is no redis-server or valkey-server on PATH",
              "apt-get install redis-server, or give --redis-server PATH, or --redis URL");
}

std::string make_private_directory() {
  const char* base = getenv("TMPDIR");
  std::string name = std::string(base != nullptr && *base == '/' ? base : "/tmp") + "/rlctl-XXXXXX";
  // A unix socket's path is limited to 107 bytes.
  if (name.size() > 90) name = "/tmp/rlctl-XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    throw Error(Exit::target, "can't make a private directory " + name + ": " + strerror(errno),
                "set TMPDIR to a place that can be written");
  return name;
}

// In the child: becomes the server. After a fork with threads only async-signal-safe calls would be
// allowed; there are no threads (see the header).
[[noreturn]] void exec_server(const std::vector<std::string>& command, const std::string& directory,
                              pid_t guard) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(127);  // the guard died before the line above
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // The server's output before it opens its log is the reason why it does not start.
  const int output =
      open((directory + kLog).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  dprintf(STDERR_FILENO, "%s\n", strerror(errno));
  _exit(127);
}

void remove_directory(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

pid_t start_server(const std::vector<std::string>& command, const std::string& directory) {
  const pid_t guard = getpid();
  unlink((directory + kDump).c_str());
  const pid_t server = fork();
  if (server == 0) exec_server(command, directory, guard);
  return server;
}

// Nobody needs its data: it is killed at once.
void kill_server(pid_t server) {
  if (server > 0 && kill(server, SIGKILL) == 0) waitpid(server, nullptr, 0);
}

// In the guard: does what rlctl orders, until the end of rlctl; then removes everything.
[[noreturn]] void guard_server(const std::vector<std::string>& command,
                               const std::string& directory, int lifeline) {
  setsid();
  // A reader of our output must not wait for the server's end.
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; ++standard) dup2(null, standard);
  // All signals are blocked (start_guard) and stay so. SIGCHLD is delivered only during the wait,
  // so that none is missed between a check and the wait.
  sigset_t waiting;
  sigprocmask(SIG_BLOCK, nullptr, &waiting);
  sigdelset(&waiting, SIGCHLD);
  signal(SIGCHLD, [](int) {});
  pid_t server = start_server(command, directory);
  for (char order = kStart; order != kEnd;) {
    if (server < 0 || (server > 0 && waitpid(server, nullptr, WNOHANG) != 0)) {
      server = 0;  // its process id may be reused now
      std::ofstream(directory + kEnded);
    }
    pollfd orders{lifeline, POLLIN, 0};
    if (ppoll(&orders, 1, nullptr, &waiting) <= 0) continue;
    if (read(lifeline, &order, 1) != 1) order = kEnd;
    kill_server(server);
    server = order == kStart ? start_server(command, directory) : 0;
  }
  remove_directory(directory);
  _exit(0);
}

void close_all_but(int kept) {
  const int end = static_cast<int>(std::min(sysconf(_SC_OPEN_MAX), 65'536L));
  for (int descriptor = 3; descriptor < end; ++descriptor)
    if (descriptor != kept) close(descriptor);
}

// The guard keeps all signals blocked: only its socket and SIGKILL end it.
pid_t fork_with_signals_blocked(sigset_t& before) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  return fork();
}

bool accepts(const std::string& path) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.data(), path.size());
  const bool open =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return open;
}

}  // namespace

ServerProcess::ServerProcess(const std::string& program, ServerSettings settings)
    : program_(find_server(program)),
      settings_(std::move(settings)),
      directory_(make_private_directory()) {
  try {
    start_guard();
    wait_until_ready();
  } catch (...) {
    end();
    throw;
  }
}

std::vector<std::string> ServerProcess::command_line() const {
  std::vector<std::string> words{program_,
                                 directory_ + kConfiguration,
                                 "--port",
                                 std::to_string(settings_.port),
                                 "--bind",
                                 "127.0.0.1",
                                 "--unixsocket",
                                 endpoint().unix_path,
                                 "--unixsocketperm",
                                 "700",
                                 "--dir",
                                 directory_,
                                 "--save",
                                 "",
                                 "--appendonly",
                                 "no",
                                 "--daemonize",
                                 "no",
                                 "--logfile",
                                 directory_ + kLog,
                                 "--loglevel",
                                 "warning",
                                 "--maxclients",
                                 "10000",
                                 "--tcp-backlog",
                                 "4096"};
  words.insert(words.end(), settings_.arguments.begin(), settings_.arguments.end());
  return words;
}

// A password on the command line could be read by every user of the machine.
void ServerProcess::write_configuration() const {
  std::ofstream file(directory_ + kConfiguration);
  file << settings_.configuration;
  if (settings_.password.empty()) return;
  file << "requirepass " << settings_.password << "\nmasterauth " << settings_.password << '\n';
}

void ServerProcess::start_guard() {
  write_configuration();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(Exit::target, std::string("can't make a pair of sockets: ") + strerror(errno));
  sigset_t signals;
  guard_ = fork_with_signals_blocked(signals);
  if (guard_ == 0) {
    close_all_but(ends[0]);
    guard_server(command_line(), directory_, ends[0]);
  }
  const int problem = errno;
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  close(ends[0]);
  lifeline_ = ends[1];
  if (guard_ < 0)
    throw Error(Exit::target, std::string("can't start a process: ") + strerror(problem));
}

ServerProcess::~ServerProcess() { end(); }

// If someone killed the guard, there is no server to give orders about.
void ServerProcess::order(char what) const { ::send(lifeline_, &what, 1, MSG_NOSIGNAL); }

void ServerProcess::begin_stop() { order(kStop); }

void ServerProcess::stop() {
  begin_stop();
  while (accepts(endpoint().unix_path)) usleep(kPollUs);
}

void ServerProcess::start_again() { order(kStart); }

void ServerProcess::end() {
  if (lifeline_ >= 0) close(std::exchange(lifeline_, -1));
  while (guard_ > 0 && waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) continue;
  guard_ = -1;
  remove_directory(directory_);  // the guard has done it, unless someone killed it
}

void ServerProcess::wait_until_ready() const {
  const std::int64_t deadline_us = now_us() + kStartTimeoutUs;
  while (!accepts(endpoint().unix_path)) {
    if (now_us() > deadline_us || access((directory_ + kEnded).c_str(), F_OK) == 0)
      throw Error(Exit::target, "the embedded " + program_ + " did not start" + last_words(),
                  "start it by hand to see why, or give --redis URL");
    usleep(kPollUs);
  }
}

std::string ServerProcess::last_words() const {
  std::ifstream log(directory_ + kLog);
  std::string line, last;
  while (std::getline(log, line)) last = line;
  return last.empty() ? "" : ": " + escape_for_terminal(last);
}

Endpoint ServerProcess::endpoint() const {
  Endpoint endpoint;
  endpoint.unix_path = directory_ + "/redis.sock";
  endpoint.password = settings_.password;
  return endpoint;
}

Endpoint ServerProcess::tcp_endpoint() const {
  Endpoint endpoint;
  endpoint.port = settings_.port;
  endpoint.password = settings_.password;
  return endpoint;
}

}  // namespace rlctl
