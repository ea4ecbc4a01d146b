// A real nginx of the test's own with limit_req and access logs. Its address is the client's:
// requests come from 127.0.0.N, so that nginx counts each N apart.
// std::runtime_error when it does not start.
#pragma once

#include <string>
#include <vector>

#include "http/nginx.h"

class TestNginx {
 public:
  // As in nginx.conf: `rate` of limit_req_zone, and what follows the zone in limit_req.
  TestNginx(const std::string& rate, const std::string& limit_req);

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
  int open_connection(int client) const;
  std::string complete(const std::string& log) const;

  rlctl::test::Nginx nginx_;
  std::size_t answered_ = 0;
};
