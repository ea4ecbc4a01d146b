// A real nginx for a test, with limit_req and access logs. nginx counts by client address, and
// requests come from 127.0.0.N, so each N is counted apart. Throws std::runtime_error if it does
// not start.
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

  // The access logs, read when every answered request is in them: the combined format (whole
  // seconds), the same followed by $request_time, and kTimedFormat.
  std::string combined_log() const { return complete("combined.log"); }
  std::string appended_log() const { return complete("appended.log"); }
  std::string timed_log() const { return complete("timed.log"); }

  // The client and what limit_req said: PASSED, DELAYED, REJECTED, also with _DRY_RUN.
  std::string judged_log() const { return complete("judged.log"); }

  static constexpr const char* kTimedFormat = "$remote_addr $msec $request_time $status";
  static constexpr const char* kAppendedFormat =
      R"($remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent $request_time)";

 private:
  int open_connection(int client) const;
  std::string complete(const std::string& log) const;

  rlctl::test::Nginx nginx_;
  std::size_t answered_ = 0;
};
