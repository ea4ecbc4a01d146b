#include "run/redis_faults.h"

#include <signal.h>

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/command.h"

namespace rlctl {

EmbeddedRedis& RedisFaults::own_server(const char* fault) const {
  if (own_ != nullptr) return *own_;
  throw Error(Exit::usage, std::string("the fault ") + fault + " is not allowed on your own Redis",
              "remove \"target\", or set it to {\"kind\": \"embedded\"}");
}

Task<> RedisFaults::forget_scripts() { co_await ask(control_, encode_command("SCRIPT", "FLUSH")); }

Task<> RedisFaults::kill_clients() {
  co_await ask(control_, encode_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"));
}

Task<> RedisFaults::restart(std::int64_t down_us) {
  EmbeddedRedis& server = own_server("redis_restart");
  server.node(0).stop();
  co_await loop_.until(now_us() + down_us);
  server.node(0).start_again();
}

// Uses a signal, because DEBUG SLEEP is disabled by default since Redis 7.
Task<> RedisFaults::hang(std::int64_t down_us) {
  own_server("redis_pause");
  const Reply reply = co_await ask(control_, encode_command("INFO", "server"));
  const std::size_t at = reply.text.find("process_id:");
  const pid_t server = at == std::string::npos ? 0 : std::atoi(reply.text.c_str() + at + 11);
  if (server <= 1) throw Error(Exit::target, "the embedded server did not report its process id");
  kill(server, SIGSTOP);
  co_await loop_.until(now_us() + down_us);
  kill(server, SIGCONT);
}

Task<std::string> RedisFaults::setting(std::string name) {
  const Reply reply = co_await ask(control_, encode_command("CONFIG", "GET", name));
  if (reply.elements.size() != 2)
    throw Error(Exit::target, "the embedded server did not report its " + name);
  co_return reply.elements[1].text;
}

Task<> RedisFaults::set(std::string name, std::string value) {
  co_await ask(control_, encode_command("CONFIG", "SET", name, value));
}

// A limit of one byte is below what any server uses, so it is full at once and stays so, whatever
// expires. The policy goes first: with another one, the limit would evict every key.
Task<> RedisFaults::fill_memory(std::int64_t down_us) {
  own_server("memory_full");
  const std::string policy = co_await setting("maxmemory-policy");
  const std::string limit = co_await setting("maxmemory");
  co_await set("maxmemory-policy", "noeviction");
  co_await set("maxmemory", "1");
  co_await loop_.until(now_us() + down_us);
  co_await set("maxmemory", limit);
  co_await set("maxmemory-policy", policy);
}

Task<> RedisFaults::slow_down(std::int64_t by_us, std::int64_t jitter_us, std::int64_t down_us) {
  proxy_->set_delay(by_us, jitter_us);
  co_await loop_.until(now_us() + down_us);
  proxy_->set_delay(0, 0);
}

Task<> RedisFaults::cut(std::int64_t down_us) {
  proxy_->set_refusing(true);
  proxy_->cut();
  co_await loop_.until(now_us() + down_us);
  proxy_->set_refusing(false);
}

Task<> RedisFaults::half_open(std::int64_t down_us) {
  proxy_->set_deaf(true);
  co_await loop_.until(now_us() + down_us);
  proxy_->set_deaf(false);
}

}  // namespace rlctl
