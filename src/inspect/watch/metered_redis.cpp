#include "inspect/watch/metered_redis.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "io/redis/command.h"

namespace rlctl {
namespace {

// System calls outside the two TIME commands: the wait, the first read, the last write.
constexpr std::int64_t kPerBatchUs = 25;

std::optional<std::int64_t> time_in(const Reply& reply) {
  if (reply.elements.size() != 2) return std::nullopt;
  return std::atoll(reply.elements[0].text.c_str()) * 1'000'000 +
         std::atoll(reply.elements[1].text.c_str());
}

std::int64_t busy_us(const Exchange& begin, const Exchange& end) {
  if (end.state != Exchange::State::replied) return 0;  // no answer: not measured
  const auto from = time_in(begin.reply), to = time_in(end.reply);
  if (from && to) return std::max<std::int64_t>(0, *to - *from) + kPerBatchUs;
  return std::max<std::int64_t>(0, end.received_us - begin.sent_us);
}

}  // namespace

MeteredRedis::~MeteredRedis() { loop_.forget(*this); }

void MeteredRedis::start(Exchange& exchange, std::string_view wire) {
  if (!open_) {
    // Request this flush before the connection's own, so that the end of the batch goes out with
    // it.
    loop_.want_flush(*this);
    open_ = true;
    batches_.push_back(std::make_unique<Batch>());
    batches_.back()->begin.waiter = std::noop_coroutine();
    redis_.start(batches_.back()->begin, encode_command("TIME"));
  }
  redis_.start(exchange, wire);
}

void MeteredRedis::flush() {
  open_ = false;
  batches_.back()->end.waiter = std::noop_coroutine();
  redis_.start(batches_.back()->end, encode_command("TIME"));
}

std::int64_t MeteredRedis::take_busy_us() {
  std::int64_t busy = 0;
  while (!batches_.empty()) {
    const Batch& batch = *batches_.front();
    if (batch.begin.state == Exchange::State::pending ||
        batch.end.state == Exchange::State::pending)
      break;
    busy += busy_us(batch.begin, batch.end);
    if (const auto server_us = time_in(batch.end.reply))
      clock_offset_us_ = *server_us - batch.end.received_us;
    batches_.pop_front();
  }
  return busy;
}

}  // namespace rlctl
