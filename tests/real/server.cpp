#include "real/server.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "tools/free_port.h"

namespace rlctl::test {
namespace {

constexpr int kTries = 3'000;  // of 10 ms
constexpr const char* kNodePackages = RLCTL_NODE_PACKAGES;

bool accepts(std::uint16_t port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool open =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return open;
}

[[noreturn]] void become(const std::vector<std::string>& command, const Folder& folder,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int out = open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

}  // namespace

Server::Server(const std::vector<std::string>& command, std::uint16_t port) : port_(port) {
  folder_.write("out", "");
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0) become(command, folder_, parent);
  wait_until_it_listens();
}

void Server::wait_until_it_listens() {
  for (int tries = 0; tries < kTries && waitpid(process_, nullptr, WNOHANG) == 0; ++tries) {
    const std::string out = folder_.read("out");
    if (port_ == 0 && out.find('\n') != std::string::npos)
      port_ = static_cast<std::uint16_t>(std::strtoul(out.c_str(), nullptr, 10));
    if (port_ != 0 && accepts(port_)) return;
    usleep(10'000);
  }
  throw std::runtime_error("the server does not start: " + folder_.read("out"));
}

Server::~Server() {
  if (kill(process_, SIGKILL) == 0) waitpid(process_, nullptr, 0);
}

Haproxy::Haproxy(const std::string& frontend) {
  const std::uint16_t port = free_port();
  const std::string file = folder_.write("haproxy.cfg",
                                         "defaults\n"
                                         "  mode http\n"
                                         "  timeout client 30s\n"
                                         "  timeout server 30s\n"
                                         "  timeout connect 5s\n"
                                         "frontend limited\n"
                                         "  bind 127.0.0.1:" +
                                             std::to_string(port) + "\n" + frontend);
  // On Debian it is in a directory that only root's PATH contains.
  const char* debian = "/usr/sbin/haproxy";
  server_ = std::make_unique<Server>(
      std::vector<std::string>{std::filesystem::exists(debian) ? debian : "haproxy", "-db", "-f",
                               file},
      port);
}

std::vector<std::string> node_program(const std::string& file) {
  return {"env", std::string("NODE_PATH=") + kNodePackages + "/node_modules", "node", file};
}

NodeLimiter::NodeLimiter(const std::string& name, int limit, int window_ms,
                         const std::string& redis)
    : Server(
          [&] {
            std::vector<std::string> command =
                node_program(RLCTL_SOURCE_DIR "/tests/real/limiters.js");
            for (const std::string& word :
                 {name, std::to_string(limit), std::to_string(window_ms), redis})
              command.push_back(word);
            return command;
          }(),
          0) {}

bool has_node_packages() {
  if (std::filesystem::exists(std::string(kNodePackages) + "/installed")) return true;
  const char* const why =
      "SKIPPED: the npm packages are not installed, see the output of the build";
  std::fprintf(stderr, "%s\n", why);
  if (getenv("RLCTL_NEEDS_NODE") != nullptr) FAIL(why);
  return false;
}

}  // namespace rlctl::test
