// A real nginx of the test's own on loopback, with limit_req, gone with it. Its address is the
// client's: requests come from 127.0.0.N, so that nginx counts each N apart.
// std::runtime_error when it does not start.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

class TestNginx {
 public:
  // As in nginx.conf: `rate` of limit_req_zone, and what follows the zone in limit_req.
  TestNginx(const std::string& rate, const std::string& limit_req);
  ~TestNginx();
  TestNginx(const TestNginx&) = delete;
  TestNginx& operator=(const TestNginx&) = delete;

  // `connections` at once from 127.0.0.`client`, each with `requests` in one write. All statuses.
  std::vector<int> get(int client, int connections, int requests);

  // The access logs, when every request that was answered stands in them: the combined format
  // (whole seconds), the same with $request_time behind it, and kTimedFormat.
  std::string combined_log() const { return complete("combined.log"); }
  std::string appended_log() const { return complete("appended.log"); }
  std::string timed_log() const { return complete("timed.log"); }

  static constexpr const char* kTimedFormat = "$remote_addr $msec $request_time $status";
  static constexpr const char* kAppendedFormat =
      R"($remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent $request_time)";

 private:
  void configure(const std::string& rate, const std::string& limit_req) const;
  void start();
  bool answers() const;
  int open_connection(int client) const;
  std::string complete(const std::string& log) const;

  std::filesystem::path folder_;
  int port_ = 0;
  pid_t process_ = -1;
  std::size_t answered_ = 0;
};
