#include "inspect/watch/younger_entries.h"

#include <algorithm>
#include <optional>
#include <string>

#include "inspect/stored_time.h"
#include "io/redis/command.h"
#include "io/redis/redis.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

// The oldest entry that counts has an index in [first, end), counted from the oldest.
struct Bisection {
  std::size_t question = 0;
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t middle() const { return first + (end - first) / 2; }
};

const Reply* reply_of(const Exchange& exchange) {
  if (exchange.state != Exchange::State::replied) reply_or_throw(exchange);
  return exchange.reply.is_error() ? nullptr : &exchange.reply;
}

bool holds_all(const KeyState& state) {
  return static_cast<std::int64_t>(state.entries.size()) >= state.length;
}

std::optional<std::int64_t> time_in(const std::string& text) {
  const auto time = stored_time_in(text);
  if (!time) return std::nullopt;
  return time->us;
}

LiveEntries count_here(const LogQuestion& question) {
  LiveEntries live;
  for (const Entry& entry : question.state->entries) {
    if (!entry.at_us || *entry.at_us <= question.horizon_us) continue;
    ++live.count;
    live.oldest_us = std::min(live.oldest_us.value_or(*entry.at_us), *entry.at_us);
  }
  return live;
}

void ask_zset(const LogQuestion& question, std::vector<std::string>& commands) {
  const KeyState& state = *question.state;
  const std::string from = "(" + score_at(state.time_unit, question.horizon_us);
  commands.push_back(encode_command("ZCOUNT", state.key, from, "+inf"));
  commands.push_back(
      encode_command("ZRANGEBYSCORE", state.key, from, "+inf", "WITHSCORES", "LIMIT", "0", "1"));
}

LiveEntries zset_answer(const Exchange& count, const Exchange& oldest) {
  LiveEntries live;
  if (const Reply* reply = reply_of(count)) live.count = reply->integer;
  const Reply* reply = reply_of(oldest);
  if (reply != nullptr && reply->elements.size() == 2)
    live.oldest_us = time_in(reply->elements[1].text);
  return live;
}

std::string lindex_of(const KeyState& state, std::int64_t nth_oldest) {
  const std::int64_t index = state.newest_first ? -1 - nth_oldest : nth_oldest;
  return encode_command("LINDEX", state.key, std::to_string(index));
}

void halve(Bisection& search, const Reply* reply, std::int64_t horizon_us, LiveEntries& live) {
  const auto at_us = reply != nullptr ? time_in(reply->text) : std::nullopt;
  // If an entry has disappeared meanwhile, it was older than those that are left.
  if (at_us && *at_us > horizon_us) {
    search.end = search.middle();
    live.oldest_us = at_us;
  } else {
    search.first = search.middle() + 1;
  }
}

Task<> bisect_all(Redis& redis, const std::vector<LogQuestion>& questions,
                  std::vector<Bisection> searches, std::vector<LiveEntries>& found) {
  while (!searches.empty()) {
    std::vector<std::string> commands;
    for (const Bisection& search : searches)
      commands.push_back(lindex_of(*questions[search.question].state, search.middle()));
    const std::vector<Exchange> answers = co_await send_all(redis, std::move(commands));
    for (std::size_t i = 0; i < searches.size(); ++i) {
      const LogQuestion& question = questions[searches[i].question];
      LiveEntries& live = found[searches[i].question];
      halve(searches[i], reply_of(answers[i]), question.horizon_us, live);
      live.count = question.state->length - searches[i].first;
    }
    std::erase_if(searches, [](const Bisection& search) { return search.first >= search.end; });
  }
}

}  // namespace

Task<std::vector<LiveEntries>> count_younger(Redis& redis, std::vector<LogQuestion> questions) {
  std::vector<LiveEntries> found(questions.size());
  std::vector<std::string> commands;
  std::vector<std::size_t> asked;
  std::vector<Bisection> searches;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const KeyState& state = *questions[i].state;
    if (holds_all(state)) {
      found[i] = count_here(questions[i]);
    } else if (state.type == StateType::zset) {
      asked.push_back(i);
      ask_zset(questions[i], commands);
    } else {
      searches.push_back({i, 0, state.length});
    }
  }
  const std::vector<Exchange> answers = co_await send_all(redis, std::move(commands));
  for (std::size_t i = 0; i < asked.size(); ++i)
    found[asked[i]] = zset_answer(answers[2 * i], answers[2 * i + 1]);
  co_await bisect_all(redis, questions, std::move(searches), found);
  co_return found;
}

}  // namespace rlctl
