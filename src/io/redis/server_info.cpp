#include "io/redis/server_info.h"

#include <cstdlib>

#include "base/escape.h"
#include "io/redis/command.h"

namespace rlctl {
namespace {

Task<std::string> info(Redis& redis, const char* section) {
  const Exchange exchange = co_await redis.send(encode_command("INFO", section));
  if (exchange.state != Exchange::State::replied || !exchange.reply.is_text()) co_return "";
  co_return exchange.reply.text;
}

std::int64_t seconds_to_us(const std::string& text) {
  return static_cast<std::int64_t>(std::strtod(text.c_str(), nullptr) * 1e6);
}

Task<std::optional<std::int64_t>> cpu_of_one_us(Redis& redis) {
  const std::string cpu = co_await info(redis, "cpu");
  std::string system = info_field(cpu, "used_cpu_sys_main_thread");
  std::string user = info_field(cpu, "used_cpu_user_main_thread");
  if (user.empty()) {
    system = info_field(cpu, "used_cpu_sys");
    user = info_field(cpu, "used_cpu_user");
  }
  if (user.empty()) co_return std::nullopt;
  co_return seconds_to_us(system) + seconds_to_us(user);
}

}  // namespace

std::string info_field(const std::string& info, const std::string& name) {
  const auto line = info.find("\n" + name + ":");
  if (line == std::string::npos) return "";
  const auto value = line + name.size() + 2;
  return info.substr(value, info.find('\r', value) - value);
}

std::string hello_field(const Reply& hello, std::string_view name) {
  for (std::size_t i = 0; i + 1 < hello.elements.size(); i += 2)
    if (hello.elements[i].text == name) return hello.elements[i + 1].text;
  return "";
}

Task<std::vector<ServerCpu>> cpu_by_server(Redis& redis) {
  std::vector<ServerCpu> all;
  for (const RedisServer& server : redis.servers()) {
    const std::optional<std::int64_t> one = co_await cpu_of_one_us(*server.redis);
    all.push_back({server.name, one.value_or(-1)});
  }
  co_return all;
}

Task<std::optional<std::int64_t>> server_cpu_us(Redis& redis) {
  std::int64_t sum = 0;
  for (const ServerCpu& server : co_await cpu_by_server(redis)) {
    if (server.us < 0) co_return std::nullopt;
    sum += server.us;
  }
  co_return sum;
}

Task<std::string> server_version(Redis& redis) {
  const std::string server = co_await info(redis, "server");
  const std::string valkey = info_field(server, "valkey_version");
  if (!valkey.empty()) co_return "valkey " + escape_for_terminal(valkey);
  const std::string version = info_field(server, "redis_version");
  co_return version.empty() ? "" : "redis " + escape_for_terminal(version);
}

}  // namespace rlctl
