#include "cli/support/test_nginx.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
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

// "return 200" would answer before limit_req runs, so nginx serves a file.
std::string http_block(const std::string& rate, const std::string& limit_req) {
  return std::string("  log_format appended '") + TestNginx::kAppendedFormat + "';\n" +
         "  log_format timed '" + TestNginx::kTimedFormat +
         "';\n"
         "  log_format judged '$remote_addr $limit_req_status';\n"
         "  limit_req_zone $binary_remote_addr zone=clients:1m rate=" +
         rate +
         ";\n"
         "  limit_req_status 429;\n"
         "  server {\n"
         "    listen 127.0.0.1:PORT;\n"
         "    root FOLDER;\n"
         "    access_log combined.log combined;\n"
         "    access_log appended.log appended;\n"
         "    access_log timed.log timed;\n"
         "    access_log judged.log judged;\n"
         "    location / { limit_req zone=clients " +
         limit_req + "; }\n  }\n";
}

}  // namespace

TestNginx::TestNginx(const std::string& rate, const std::string& limit_req)
    : nginx_(http_block(rate, limit_req)) {}

int TestNginx::open_connection(int client) const {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in from = loopback(client, 0);
  const sockaddr_in to = loopback(1, nginx_.port());
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

// nginx writes a request's log line after its reply.
std::string TestNginx::complete(const std::string& log) const {
  const std::filesystem::path path = nginx_.folder() / log;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::string text = whole(path);
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= answered_)
      return path.string();
    usleep(10'000);
  }
  throw std::runtime_error("nginx does not write " + path.string());
}
