#include "io/redis/redis.h"

#include "io/redis/redis_error.h"

namespace rlctl {
Task<Reply> ask(Redis& redis, std::string wire) {
  const Exchange exchange = co_await redis.send(wire);
  co_return reply_or_throw(exchange);
}

Task<std::vector<Exchange>> send_all(Redis& redis, std::vector<std::string> wires) {
  std::vector<Exchange> exchanges(wires.size());
  for (std::size_t i = 0; i < wires.size(); ++i) {
    exchanges[i].waiter = std::noop_coroutine();
    redis.start(exchanges[i], wires[i]);
  }
  for (Exchange& exchange : exchanges) co_await UntilKnown{exchange};
  co_return exchanges;
}

}  // namespace rlctl
