#include "cli/test_nginx.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

constexpr int kTries = 1'000;  // of 10 ms

sockaddr_in loopback(int host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + static_cast<std::uint32_t>(host));
  return address;
}

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// A port that was free a moment ago: nginx cannot be asked which one it was given.
int free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(1, 0);
  socklen_t size = sizeof address;
  const bool named = bind(probe, generic(address), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(probe);
  if (!named) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

std::string whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string request(bool last) {
  return std::string("GET / HTTP/1.1\r\nHost: localhost\r\n") +
         (last ? "Connection: close\r\n" : "") + "\r\n";
}

std::string read_to_end(int descriptor) {
  std::string text;
  char bytes[4096];
  for (ssize_t got = 1; got > 0;) {
    got = read(descriptor, bytes, sizeof bytes);
    if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
  }
  close(descriptor);
  return text;
}

void add_statuses(const std::string& replies, std::vector<int>& statuses) {
  static const std::string kStart = "HTTP/1.1 ";
  for (std::size_t at = replies.find(kStart); at != std::string::npos;
       at = replies.find(kStart, at + 1))
    statuses.push_back(std::stoi(replies.substr(at + kStart.size(), 3)));
}

}  // namespace

TestNginx::TestNginx(const std::string& rate, const std::string& limit_req) {
  std::string name = (std::filesystem::temp_directory_path() / "rlctl_nginx_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = name;
  std::ofstream(folder_ / "index.html") << "ok\n";
  for (int tries = 0; process_ < 0; ++tries) {
    if (tries == 5) throw std::runtime_error("nginx: " + whole(folder_ / "error.log"));
    port_ = free_port();
    configure(rate, limit_req);
    start();
  }
}

TestNginx::~TestNginx() {
  if (process_ > 0 && kill(process_, SIGKILL) == 0) waitpid(process_, nullptr, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

// "return 200" would answer before limit_req is asked, so it serves a file.
void TestNginx::configure(const std::string& rate, const std::string& limit_req) const {
  std::ofstream conf(folder_ / "nginx.conf");
  conf << "daemon off; master_process off; pid nginx.pid; error_log error.log;\n"
          "events { worker_connections 256; }\n"
          "http {\n";
  for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    conf << "  " << kind << "_temp_path " << kind << ";\n";
  conf << "  log_format appended '" << kAppendedFormat << "';\n"
       << "  log_format timed '" << kTimedFormat << "';\n"
       << "  access_log combined.log combined;\n"
          "  access_log appended.log appended;\n"
          "  access_log timed.log timed;\n"
          "  limit_req_zone $binary_remote_addr zone=clients:1m rate="
       << rate
       << ";\n"
          "  limit_req_status 429;\n"
          "  server {\n"
          "    listen 127.0.0.1:"
       << port_
       << ";\n"
          "    root "
       << folder_.string()
       << ";\n"
          "    location / { limit_req zone=clients "
       << limit_req << "; }\n  }\n}\n";
}

void TestNginx::start() {
  const std::string prefix = folder_.string() + "/";
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int log = open((prefix + "error.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, STDERR_FILENO);
    // Debian keeps it where only root's PATH looks.
    for (const char* program : {"nginx", "/usr/sbin/nginx"})
      execlp(program, program, "-p", prefix.c_str(), "-c", "nginx.conf", "-e", "error.log",
             static_cast<char*>(nullptr));
    _exit(127);
  }
  for (int tries = 0; tries < kTries && waitpid(process_, nullptr, WNOHANG) == 0; ++tries) {
    if (answers()) return;
    usleep(10'000);
  }
  process_ = -1;
}

bool TestNginx::answers() const {
  const int probe = open_connection(1);
  if (probe >= 0) close(probe);
  return probe >= 0;
}

int TestNginx::open_connection(int client) const {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in from = loopback(client, 0);
  const sockaddr_in to = loopback(1, port_);
  const bool open = bind(descriptor, generic(from), sizeof from) == 0 &&
                    connect(descriptor, generic(to), sizeof to) == 0;
  if (open) return descriptor;
  close(descriptor);
  return -1;
}

std::vector<int> TestNginx::get(int client, int connections, int requests) {
  std::vector<int> open;
  for (int i = 0; i < connections; ++i) open.push_back(open_connection(client));
  std::string text;
  for (int i = 1; i <= requests; ++i) text += request(i == requests);
  for (const int descriptor : open) {
    if (descriptor < 0 || write(descriptor, text.data(), text.size()) < 0)
      throw std::runtime_error("nginx does not listen");
  }
  std::vector<int> statuses;
  for (const int descriptor : open) add_statuses(read_to_end(descriptor), statuses);
  answered_ += statuses.size();
  return statuses;
}

// nginx writes a request's line after its reply.
std::string TestNginx::complete(const std::string& log) const {
  const std::filesystem::path path = folder_ / log;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::string text = whole(path);
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= answered_)
      return path.string();
    usleep(10'000);
  }
  throw std::runtime_error("nginx does not write " + path.string());
}
