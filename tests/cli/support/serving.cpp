#include "cli/support/serving.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace {

constexpr int kMinuteMs = 60'000;
constexpr int kLookMs = 10;

template <typename Condition>
void wait_until(Condition condition, const std::string& what) {
  for (int waited_ms = 0; waited_ms < kMinuteMs; waited_ms += kLookMs) {
    if (condition()) return;
    usleep(kLookMs * 1'000);
  }
  throw std::runtime_error("not within a minute: " + what);
}

// All bytes that have arrived; empty at the end. A silent minute is an error.
std::string read_some(int descriptor) {
  pollfd readable{descriptor, POLLIN, 0};
  if (poll(&readable, 1, kMinuteMs) != 1) throw std::runtime_error("a silent minute");
  char bytes[16 * 1024];
  const ssize_t got = read(descriptor, bytes, sizeof bytes);
  return got > 0 ? std::string(bytes, static_cast<std::size_t>(got)) : std::string();
}

std::string read_all(int descriptor) {
  std::string all;
  for (std::string some = read_some(descriptor); !some.empty(); some = read_some(descriptor))
    all += some;
  return all;
}

std::string read_line(int descriptor) {
  std::string line;
  for (char byte = 0; read(descriptor, &byte, 1) == 1 && byte != '\n';) line += byte;
  return line;
}

[[noreturn]] void exec_program(const char* program, Arguments arguments) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execvp(program, argv.data());
  _exit(127);
}

std::string get_request(const std::string& path, const std::string& fields) {
  return "GET " + path + " HTTP/1.1\r\nHost: test\r\n" + fields + "\r\n";
}

}  // namespace

StoppableRedis::StoppableRedis() { start(); }

StoppableRedis::~StoppableRedis() { stop(); }

void StoppableRedis::start() {
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0)
    exec_program("redis-server",
                 {"--port", "0", "--unixsocket", socket(), "--dir", folder_.path(), "--save", "",
                  "--appendonly", "no", "--logfile", folder_ / "redis.log"});
  // A connection is proof enough: a server that is still loading would report that, and this one
  // has nothing to load.
  wait_until([this] { return access(socket().c_str(), F_OK) == 0; }, "redis-server");
}

void StoppableRedis::stop() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
  unlink(socket().c_str());
}

void StoppableRedis::freeze() const { kill(process_, SIGSTOP); }
void StoppableRedis::thaw() const { kill(process_, SIGCONT); }

Serving::Serving(const Arguments& arguments) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    Arguments all{"serve", "--listen", "127.0.0.1:0"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    exec_program(RLCTL_BINARY, all);
  }
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
  const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  const std::string line = read_line(json ? err_ : out_);
  const auto colon = line.rfind(':');
  if (colon == line.npos) throw std::runtime_error("serve does not listen: " + read_all(err_));
  port_ = static_cast<std::uint16_t>(std::stoi(line.substr(colon + 1)));
}

Serving::~Serving() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

void Serving::signal(int number) const { kill(process_, number); }

Outcome Serving::wait() {
  Outcome outcome;
  outcome.out = read_all(out_);
  outcome.err = read_all(err_);
  int status = 0;
  rusage used{};
  wait4(process_, &status, 0, &used);
  process_ = -1;
  outcome.peak_kib = used.ru_maxrss;
  outcome.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return outcome;
}

Outcome Serving::stop() {
  signal(SIGTERM);
  return wait();
}

std::string Response::field(const std::string& name) const {
  for (auto line = head.find("\r\n"); line != head.npos; line = head.find("\r\n", line + 2)) {
    const std::string_view rest = std::string_view(head).substr(line + 2);
    if (strncasecmp(rest.data(), (name + ": ").c_str(), name.size() + 2) != 0) continue;
    return std::string(rest.substr(name.size() + 2, rest.find("\r\n") - name.size() - 2));
  }
  return "";
}

Client::Client(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("can't connect to serve");
}

Client::~Client() { close(socket_); }

void Client::send(const std::string& bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t sent = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return;  // it has hung up: what it sent before counts
    done += static_cast<std::size_t>(sent);
  }
}

std::size_t Client::send_what_fits(const std::string& bytes, std::size_t from) const {
  const ssize_t sent =
      ::send(socket_, bytes.data() + from, bytes.size() - from, MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

void Client::close_half() const { shutdown(socket_, SHUT_WR); }

bool Client::read_more() {
  const std::string some = read_some(socket_);
  in_ += some;
  return !some.empty();
}

Response Client::receive(bool with_body) {
  Response response;
  std::size_t end = in_.find("\r\n\r\n");
  for (; end == in_.npos; end = in_.find("\r\n\r\n"))
    if (!read_more()) return response;
  response.head = in_.substr(0, end + 2);
  in_.erase(0, end + 4);
  const std::string length = response.field("Content-Length");
  const std::size_t size = with_body && !length.empty() ? std::stoul(length) : 0;
  while (in_.size() < size && read_more()) continue;
  response.body = in_.substr(0, size);
  in_.erase(0, size);
  response.status = std::stoi(response.head.substr(response.head.find(' ') + 1));
  return response;
}

bool Client::at_end() { return in_.empty() && !read_more(); }

Response Client::get(const std::string& path, const std::string& fields) {
  send(get_request(path, fields));
  return receive();
}

Response get(std::uint16_t port, const std::string& path, const std::string& fields) {
  return Client(port).get(path, fields);
}

Response get_until(int status, std::uint16_t port, const std::string& path) {
  Response response;
  wait_until(
      [&] {
        response = get(port, path);
        return response.status == status;
      },
      "status " + std::to_string(status));
  return response;
}
