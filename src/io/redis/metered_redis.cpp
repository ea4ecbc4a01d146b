#include "io/redis/metered_redis.h"

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
  if (!open_) begin_batch();
  redis_.start(exchange, wire);
}

void MeteredRedis::begin_batch() {
  // Request this flush before the connection's own, so that the end of the batch goes out with it.
  loop_.want_flush(*this);
  open_ = true;
  const std::vector<RedisServer> servers = redis_.servers();
  batches_.emplace_back(servers.size());
  for (std::size_t i = 0; i < servers.size(); ++i) {
    Span& span = batches_.back()[i];
    span.server = servers[i].redis;
    span.begin.waiter = std::noop_coroutine();
    span.server->start(span.begin, encode_command("TIME"));
  }
}

// A server that has come meanwhile is not measured; nor is one that has gone.
void MeteredRedis::flush() {
  open_ = false;
  for (const RedisServer& server : redis_.servers())
    for (Span& span : batches_.back()) {
      if (span.server != server.redis) continue;
      span.end.waiter = std::noop_coroutine();
      span.is_closed = true;
      span.server->start(span.end, encode_command("TIME"));
    }
}

bool MeteredRedis::is_known(const Span& span) {
  return span.begin.state != Exchange::State::pending &&
         (!span.is_closed || span.end.state != Exchange::State::pending);
}

void MeteredRedis::take_clock(const Exchange& time) {
  if (const auto server_us = time_in(time.reply)) clock_offset_us_ = *server_us - time.received_us;
}

std::int64_t MeteredRedis::take_busy_us() {
  std::int64_t busy = 0;
  while (batches_.size() > (open_ ? 1 : 0)) {
    const Batch& batch = batches_.front();
    if (!std::ranges::all_of(batch, is_known)) break;
    std::int64_t busiest = 0;
    for (const Span& span : batch) busiest = std::max(busiest, busy_us(span.begin, span.end));
    busy += busiest;
    if (!batch.empty()) take_clock(batch.front().end);
    batches_.pop_front();
  }
  return busy;
}

}  // namespace rlctl
