#include "http/nginx.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "tools/free_port.h"

namespace rlctl::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

[[noreturn]] void become_nginx(const std::string& prefix, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int log = open((prefix + "error.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(log, STDERR_FILENO);
  // On Debian it is in a directory that only root's PATH contains.
  for (const char* program : {"nginx", "/usr/sbin/nginx"})
    execlp(program, program, "-p", prefix.c_str(), "-c", "nginx.conf", "-e", "error.log",
           static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

Nginx::Nginx(const std::string& http_block) {
  folder_.write("index.html", "ok\n");
  for (int tries = 0; !start(http_block); ++tries)
    if (tries == 5) throw std::runtime_error("nginx: " + folder_.read("error.log"));
}

Nginx::~Nginx() {
  if (process_ > 0 && kill(process_, SIGKILL) == 0) waitpid(process_, nullptr, 0);
}

bool Nginx::start(const std::string& http_block) {
  port_ = free_port();
  std::ofstream configuration(folder_ / "nginx.conf");
  configuration << "daemon off; master_process off; pid nginx.pid; error_log error.log;\n"
                   "events { worker_connections 1024; }\n"
                   "http {\n  access_log off;\n";
  for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    configuration << "  " << kind << "_temp_path " << kind << ";\n";
  configuration << replaced(replaced(http_block, "FOLDER", folder_.path()), "PORT",
                            std::to_string(port_))
                << "\n}\n";
  configuration.close();
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0) become_nginx(folder_.path() + "/", parent);
  for (int tries = 0; tries < 1'000 && waitpid(process_, nullptr, WNOHANG) == 0; ++tries) {
    if (answers()) return true;
    usleep(10'000);
  }
  process_ = -1;
  return false;
}

bool Nginx::answers() const {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port_);
  const bool open =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return open;
}

std::string Nginx::url(const std::string& scheme) const {
  return scheme + "://127.0.0.1:" + std::to_string(port_) + "/";
}

void make_certificate(const Folder& folder, const std::string& name) {
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      "-subj /CN=limiter.test -addext subjectAltName=" +
      name + " -keyout '" + folder / "key.pem" + "' -out '" + folder / "cert.pem" + "' 2>/dev/null";
  if (system(command.c_str()) != 0) throw std::runtime_error("openssl makes no certificate");
}

}  // namespace rlctl::test
