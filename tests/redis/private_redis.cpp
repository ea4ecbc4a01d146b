#include "redis/private_redis.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "io/clock.h"
#include "io/redis/command.h"
#include "tools/free_port.h"

namespace rlctl::test {
namespace {

// The fields of /proc/PID/stat after the name: state, parent ...
std::istringstream status_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto end_of_name = line.rfind(") ");
  return std::istringstream(end_of_name == line.npos ? "" : line.substr(end_of_name + 2));
}

// Long enough that a busy machine does not fail the test.
Endpoint patient(Endpoint endpoint) {
  endpoint.timeout_us = 60'000'000;
  return endpoint;
}

pid_t process_id(const std::string& info) {
  const std::string label = "process_id:";
  return static_cast<pid_t>(std::stol(info.substr(info.find(label) + label.size())));
}

}  // namespace

Task<Exchange> send_words(Redis& redis, std::vector<std::string> words) {
  co_return co_await redis.send(encode_command(words));
}

Task<> pause(Loop& loop, std::int64_t delay_us) { co_await loop.until(now_us() + delay_us); }

PrivateRedis::PrivateRedis() {
  loop_.run(steering_.connect(patient(server_.endpoint())));
  pid_ = process_id(command({"INFO", "server"}).text);
}

PrivateRedis::~PrivateRedis() { thaw(); }

Endpoint PrivateRedis::tcp_endpoint() {
  for (int attempt = 0; attempt < 20; ++attempt) {
    Endpoint endpoint;
    endpoint.port = free_port();
    if (!command({"CONFIG", "SET", "port", std::to_string(endpoint.port)}).is_error())
      return endpoint;
  }
  throw std::runtime_error("no port for redis-server");
}

// Between two keys it waits for 10 ms and answers, if they are larger than 1,024 bytes.
void PrivateRedis::load_slowly_from(PrivateRedis& master) {
  const std::string port = std::to_string(master.tcp_endpoint().port);
  const std::string fill =
      "for i = 1, 20000 do redis.call('SET', 'k' .. i, string.rep('x', 1200)) end";
  master.command({"CONFIG", "SET", "rdbcompression", "no"});
  master.command({"CONFIG", "SET", "repl-diskless-sync-delay", "0"});
  master.command({"EVAL", fill, "0"});
  command({"CONFIG", "SET", "loading-process-events-interval-bytes", "1024"});
  command({"CONFIG", "SET", "key-load-delay", "10000"});
  command({"REPLICAOF", "127.0.0.1", port});
  while (command({"PING"}).text.find("LOADING") == std::string::npos)
    loop_.run(pause(loop_, 10'000));
}

Reply PrivateRedis::command(std::vector<std::string> words) {
  const Exchange exchange = loop_.run(send_words(steering_, std::move(words)));
  if (exchange.state != Exchange::State::replied) throw std::runtime_error(exchange.problem);
  return exchange.reply;
}

void PrivateRedis::kill() const {
  ::kill(pid_, SIGKILL);
  if (!wait_until_gone(pid_)) throw std::runtime_error("redis-server does not end");
}

bool is_gone(pid_t process) {
  std::string state;
  status_of(process) >> state;
  return state.empty() || state == "Z" || state == "X";
}

bool wait_until_gone(pid_t process) {
  for (int attempt = 0; attempt < 2'000; ++attempt) {
    if (is_gone(process)) return true;
    usleep(10'000);
  }
  return false;
}

pid_t parent_of(pid_t process) {
  std::string state;
  pid_t parent = 0;
  status_of(process) >> state >> parent;
  return parent;
}

pid_t server_pid(const Endpoint& endpoint) {
  Loop loop;
  Connection connection(loop);
  loop.run(connection.connect(patient(endpoint)));
  const Exchange exchange = loop.run(send(connection, "INFO", "server"));
  if (exchange.state != Exchange::State::replied) throw std::runtime_error(exchange.problem);
  return process_id(exchange.reply.text);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += entry.is_symlink() ? 1 : 0;
  return count;
}

}  // namespace rlctl::test
