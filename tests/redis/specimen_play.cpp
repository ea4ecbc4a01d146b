#include "specimen_play.h"

#include <fmt/format.h>

#include <stdexcept>

namespace rlctl::test {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Reply reply_from(const Answered& answered) {
  Reply reply;
  reply.integer = answered.integer;
  reply.text = answered.text;
  for (const Answered& element : answered.elements) reply.elements.push_back(reply_from(element));
  switch (answered.type) {
    case REDIS_REPLY_INTEGER:
      reply.type = Reply::Type::integer;
      break;
    case REDIS_REPLY_STRING:
      reply.type = Reply::Type::string;
      break;
    case REDIS_REPLY_STATUS:
      reply.type = Reply::Type::status;
      break;
    case REDIS_REPLY_ARRAY:
      reply.type = Reply::Type::array;
      break;
    case REDIS_REPLY_ERROR:
      throw std::runtime_error("Redis: " + answered.text);
    default:
      break;
  }
  return reply;
}

std::string key_from(std::string text, const Terms& terms, std::int64_t now_ms) {
  const std::pair<std::string, std::string> fillings[] = {
      {"<key>", "k"},
      {"<block_key>", "k:blocked"},
      {"<window_number>", std::to_string(now_ms / terms.window_ms)}};
  for (const auto& [name, value] : fillings)
    if (const auto at = text.find(name); at != text.npos) text.replace(at, name.size(), value);
  return text;
}

}  // namespace

Specimen::Specimen(const Server& server, const std::string& name, Terms terms)
    : server_(server), script_(Registry().find(name)), terms_(terms), redis_(server.connect()) {
  const Manifest& manifest = script_.manifest;
  if (manifest.replies_expressions()) {
    const std::string texts[] = {manifest.reply.front().expression};
    const std::string names[] = {"reply", "limit"};
    expressions_ = std::make_unique<Expressions>(texts, names, script_.origin);
    expressions_->set("limit", static_cast<double>(terms.limit));
  }
  if (manifest.run == RunPlace::client)
    steps_ = std::make_unique<ClientScript>(script_);
  else
    monitor_.emplace(server.socket());
}

std::vector<std::string> Specimen::keys(std::int64_t now_ms) const {
  std::vector<std::string> keys;
  for (const std::string& key : script_.manifest.keys)
    keys.push_back(key_from(key, terms_, now_ms));
  return keys;
}

std::string Specimen::text_of(const Argument& argument, std::int64_t now_ms) {
  switch (argument.kind) {
    case ArgumentKind::limit:
      return std::to_string(terms_.limit);
    case ArgumentKind::capacity:
      return std::to_string(terms_.capacity);
    case ArgumentKind::window_ms:
    case ArgumentKind::ttl_ms:
      return std::to_string(terms_.window_ms);
    case ArgumentKind::ttl_s:
      return std::to_string(terms_.window_ms / 1000);
    case ArgumentKind::now_ms:
      return std::to_string(now_ms);
    case ArgumentKind::rate_per_s:
      return fmt::format(
          "{}", static_cast<double>(terms_.limit) * 1e3 / static_cast<double>(terms_.window_ms));
    case ArgumentKind::emission_ms:
      return fmt::format("{}",
                         static_cast<double>(terms_.window_ms) / static_cast<double>(terms_.limit));
    case ArgumentKind::cost:
      return "1";
    case ArgumentKind::uuid:
      return "id" + std::to_string(++uuids_);
    case ArgumentKind::literal:
      return argument.literal;
    default:
      throw std::runtime_error("an argument that the tests do not know");
  }
}

std::vector<std::string> Specimen::arguments(std::int64_t now_ms) {
  std::vector<std::string> texts;
  for (const Argument& argument : script_.manifest.args) texts.push_back(text_of(argument, now_ms));
  return texts;
}

bool Specimen::is_allowed(const Reply& reply) {
  if (reply.is_error()) throw std::runtime_error(script_.name + ": " + reply.text);
  if (expressions_) {
    expressions_->set("reply", reply);
    return expressions_->evaluate(0).value_or(0) > 0;
  }
  return (reply.is_array() ? reply.elements.at(0) : reply).integer > 0;
}

Heard Specimen::decide_on_server(std::int64_t now_ms) {
  const auto keys = this->keys(now_ms);
  std::vector<std::string> words = {"EVAL", script_.text, std::to_string(keys.size())};
  words.insert(words.end(), keys.begin(), keys.end());
  for (std::string& argument : arguments(now_ms)) words.push_back(std::move(argument));
  const Answered answered = redis_.command(words);
  return {is_allowed(reply_from(answered)), monitor_->from_scripts(redis_)};
}

Heard Specimen::decide(std::int64_t now_ms) {
  return monitor_ ? decide_on_server(now_ms) : begin(now_ms).finish();
}

std::int64_t Specimen::admitted_of(std::int64_t count, std::int64_t now_ms) {
  std::int64_t admitted = 0;
  for (std::int64_t i = 0; i < count; ++i) admitted += allows(now_ms) ? 1 : 0;
  return admitted;
}

std::int64_t Specimen::admitted_in_lockstep(std::int64_t count, std::int64_t now_ms,
                                            std::int64_t gap_ms) {
  std::vector<std::unique_ptr<Steps>> clients;
  for (std::int64_t i = 0; i < count; ++i)
    clients.push_back(std::make_unique<Steps>(*this, now_ms + i * gap_ms));
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& client : clients) {
      if (client->has_ended()) continue;
      client->next();
      moved = true;
    }
  }
  std::int64_t admitted = 0;
  for (const auto& client : clients) admitted += client->finish().allowed ? 1 : 0;
  return admitted;
}

void Specimen::expire(const std::string& key) {
  if (redis_.integer({"PTTL", key}) < 0) throw std::runtime_error(key + " has no time to live");
  redis_.ask({"PEXPIRE", key, "1"});
  while (redis_.integer({"EXISTS", key}) == 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Down to half of it: a slow machine needs time.
bool Specimen::lives_for(std::int64_t ttl_ms, const std::string& key) {
  const long long left_ms = redis_.integer({"PTTL", key});
  return left_ms > ttl_ms / 2 && left_ms <= ttl_ms;
}

Specimen::Steps::Steps(Specimen& specimen, std::int64_t now_ms)
    : specimen_(specimen), redis_(specimen.server_.connect()), run_(*specimen.steps_) {
  step_ = run_.start(specimen.keys(now_ms), specimen.arguments(now_ms));
}

void Specimen::Steps::again(std::int64_t now_ms) {
  commands_.clear();
  step_ = run_.start(specimen_.keys(now_ms), specimen_.arguments(now_ms));
}

void Specimen::Steps::next() {
  commands_ += (commands_.empty() ? "" : "; ") + joined(step_.command);
  step_ = run_.resume(reply_from(redis_.command(step_.command)));
}

Heard Specimen::Steps::finish() {
  while (!has_ended()) next();
  return {specimen_.is_allowed(step_.result), commands_};
}

}  // namespace rlctl::test
