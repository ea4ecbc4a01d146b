#include "cli/support/test_redis.h"

#include <cstdlib>

#include "io/redis/command.h"

TestRedis::TestRedis(const std::string& program) : server_(program) {
  loop_.run(connection_.connect(server_.endpoint()));
}

rlctl::Reply TestRedis::command(std::vector<std::string> words) {
  const auto exchange = [](rlctl::Redis& redis, std::string wire) -> rlctl::Task<rlctl::Reply> {
    co_return (co_await redis.send(wire)).reply;
  };
  return loop_.run(exchange(connection_, rlctl::encode_command(words)));
}

std::string TestRedis::url() const { return "unix://" + server_.endpoint().unix_path; }

Arguments TestRedis::with_url(Arguments arguments) const {
  arguments.insert(arguments.begin() + 1, {"--redis", url()});
  return arguments;
}

Outcome TestRedis::rlctl(Arguments arguments, const std::string& input) const {
  return run_rlctl(with_url(std::move(arguments)), input);
}

Outcome TestRedis::rlctl_interrupted(Arguments arguments,
                                     const std::function<bool()>& ready) const {
  return run_rlctl_interrupted(with_url(std::move(arguments)), ready);
}

Outcome TestRedis::rlctl_on_terminal(Arguments arguments, const std::string& typed) const {
  return run_rlctl_on_terminal(with_url(std::move(arguments)), typed);
}

std::int64_t TestRedis::calls(const std::string& name) {
  const std::string statistics = text({"INFO", "commandstats"});
  const std::string label = "cmdstat_" + name + ":calls=";
  const auto found = statistics.find(label);
  return found == statistics.npos ? 0 : std::atoll(statistics.c_str() + found + label.size());
}
