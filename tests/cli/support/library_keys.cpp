#include "cli/support/library_keys.h"

#include <chrono>

namespace {

std::string bytes_of(std::uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

std::string bytes_of(const std::string& hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
  return bytes;
}

class LibraryKeys {
 public:
  LibraryKeys(const SendCommand& send, std::int64_t now_s) : send_(send), now_s_(now_s) {}

  void write() const {
    write_counters();
    write_times();
    write_logs();
    write_buckets();
  }

  void write_others() const {
    set("fastify-rate-limit-d01", "5");
    set("rl:d02", "5");
    set("rlflx:d03", "5");
    set("LIMITS:LIMITER/d04/10/1/hour", "5");
    for (int i = 0; i < 5; ++i) send_({"RPUSH", "LIMITS:LIMITER/d05/10/1/hour", s() + ".25"});
    expire("LIMITS:LIMITER/d05/10/1/hour");
    set("shop_database_shop_cache:d06", "5");
    set("shop_database_shop_cache:d06:timer", s(1'800));
    send_({"HSET", "shop_database_d07", "start", s(), "end", s(1'800), "count", "5"});
    send_({"EXPIRE", "shop_database_d07", "3600"});
    set("rack::attack:" + std::to_string(now_s_ / 86'400) + ":logins:d08", "5");
    const std::string day = std::to_string(now_s_ / 86'400);
    set("@upstash/ratelimit:d09:" + day, "5");
    send_({"SET", "@upstash/ratelimit:d10:" + day, "5", "EX", "172801"});
    send_({"HSET", "@upstash/ratelimit:d11", "refilledAt", ms(), "tokens", "5"});
    expire("@upstash/ratelimit:d11");
    send_({"SET", "buckets:d12", bucket4j_state(5, now_s_), "EX", "86400"});
  }

 private:
  std::string s(std::int64_t ahead = 0) const { return std::to_string(now_s_ + ahead); }
  std::string ms(std::int64_t ahead_s = 0) const { return s(ahead_s) + "000"; }

  void set(const std::string& key, const std::string& value) const {
    send_({"SET", key, value, "EX", "1800"});
  }
  void expire(const std::string& key) const { send_({"EXPIRE", key, "1800"}); }

  void write_counters() const {
    set("limiter:c01", "5");
    send_({"SET", "LIMITS:{LIMITER/c06/10/1/hour}", "5", "EX", "7000"});
    // Years: one that ends during the test is rare. Envoy's have 365 days.
    constexpr std::int64_t kYearS = 365 * 86'400;
    const std::string envoys = std::to_string(now_s_ / kYearS * kYearS);
    send_({"SET", "domain_user_c08_" + envoys, "5", "EX", std::to_string(kYearS)});
    const std::chrono::sys_seconds now{std::chrono::seconds(now_s_)};
    const auto year = std::chrono::year_month_day(floor<std::chrono::days>(now)).year();
    const std::chrono::sys_seconds from = std::chrono::sys_days(year / std::chrono::January / 1);
    set("ratelimit:route:service:c07:" + std::to_string(from.time_since_epoch().count()) +
            "000:year",
        "5");
    set("rl:fw:{c09}", "5");
    set("rl:fw:{c09}:exp", ms(1'800));
  }

  // More than 4 and less than 5 of 10 a day, as the time at which all is free again.
  void write_times() const {
    constexpr std::int64_t kAheadS = 41'000;
    send_({"SET", "rate:c02", std::to_string(now_s_ - 1'483'228'800 + kAheadS) + ".5", "EX",
           std::to_string(kAheadS)});
    for (const char* key : {"throttled:c03", "c04"})
      send_({"SET", key, s(kAheadS) + "500000000", "EX", std::to_string(kAheadS)});
  }

  void write_logs() const {
    send_({"HSET", "c05", "rate", "10", "interval", "86400000", "type", "0"});
    set("{c05}:value", "5");
    for (const char* entry : {"1", "2", "3", "4", "5"}) {
      send_({"ZADD", "{c05}:permits", ms(), entry});
      send_({"ZADD", "rl:sw:{c10}", ms(), entry});
      send_({"ZADD", "rl:cc:{c12}", ms(), entry});
      send_({"LPUSH", "throttled:Job:threshold:c13", s() + ".25"});
      send_({"ZADD", "throttled:Job:concurrency.v2:c14", s(900) + ".25", entry});
    }
    send_({"HSET", "rl:sw:{c10}:stats", "total_successful", "5"});
    send_({"ZADD", "rl:cc:{c12}:q", ms(), "6"});
    send_({"HSET", "rl:cc:{c12}:stats", "total_successful", "5", "total_failed", "1"});
    send_({"HSET", "throttled:Job:concurrency.v2:c14.backlog_info", "size", "1", "timestamp",
           s() + ".25"});
    for (const char* key : {"rl:sw:{c10}", "rl:sw:{c10}:stats", "rl:cc:{c12}", "rl:cc:{c12}:q",
                            "throttled:Job:threshold:c13", "throttled:Job:concurrency.v2:c14",
                            "throttled:Job:concurrency.v2:c14.backlog_info"})
      expire(key);
  }

  void write_buckets() const {
    set("rl:tb:{c11}", "5");
    set("rl:tb:{c11}:ts", ms());
    set("request_rate_limiter.{c15}.tokens", "5");
    set("request_rate_limiter.{c15}.timestamp", s());
  }

  const SendCommand& send_;
  std::int64_t now_s_ = 0;
};

}  // namespace

void write_library_keys(const SendCommand& send, std::int64_t now_s) {
  LibraryKeys(send, now_s).write();
}

void write_keys_of_runnable_libraries(const SendCommand& send, std::int64_t now_s) {
  LibraryKeys(send, now_s).write_others();
}

std::string bucket4j_state(std::int64_t tokens, std::int64_t now_s) {
  constexpr std::uint64_t kDayNs = 86'400'000'000'000;
  return bytes_of("00000001000000010000000100000001") + bytes_of(10) + bytes_of(10) +
         bytes_of(kDayNs) + bytes_of(10) + bytes_of("0080000000000000000000") +
         bytes_of("000000030000000100000003") +
         bytes_of(static_cast<std::uint64_t>(now_s) * 1'000'000'000) +
         bytes_of(static_cast<std::uint64_t>(tokens)) + bytes_of(0) + bytes_of("00000001") +
         bytes_of(5);
}
