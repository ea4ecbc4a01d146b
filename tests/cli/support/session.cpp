#include "cli/support/session.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "cli/support/process.h"
#include "cli/support/readme.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"
#include "tools/golden.h"

using rlctl::test::lines_of;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (const char c : line) {
    if (quote == 0 && c == ' ') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  if (quote != 0) throw std::runtime_error("a quote is open: " + line);
  return words;
}

class Session {
 public:
  explicit Session(const std::string& text) : lines_(lines_of(text)) {}

  std::string play() {
    while (at_ < lines_.size()) {
      const std::string line = take();
      if (line.starts_with("$ rlctl"))
        run(words_of(filled(line.substr(7))));
      else if (line.starts_with("@"))
        obey(words_of(filled(line.substr(1))), line);
      else if (!line.empty() && !line.starts_with("#"))
        throw std::runtime_error("neither a command nor a comment: " + line);
    }
    return now_;
  }

 private:
  // The next line, which stays as it is.
  std::string take() {
    now_ += lines_[at_] + "\n";
    return lines_[at_++];
  }

  bool next_is(const char* start) const {
    return at_ < lines_.size() && lines_[at_].starts_with(start);
  }

  std::string filled(const std::string& text) const {
    return replaced(replaced(text, "{folder}", folder_.path()), "{redis}",
                    redis_ ? redis_->url() : "{redis}");
  }

  std::string emptied(const std::string& text) const {
    const std::string masked = redis_ ? replaced(text, redis_->url(), "{redis}") : text;
    return replaced(masked, folder_.path(), "{folder}");
  }

  void obey(const std::vector<std::string>& words, const std::string& line) {
    if (words.at(0) == "redis" && !redis_) redis_ = std::make_unique<TestRedis>();
    if (words[0] == "redis" && words.size() > 1) {
      while (next_is("= ")) ++at_;
      show(redis_->command({words.begin() + 1, words.end()}));
    } else if (words[0] == "file") {
      const std::string start = "@file " + words.at(1);
      folder_.write(words[1], filled(words.size() > 2 ? line.substr(start.size() + 1) + "\n"
                                                      : lines_until_end()));
    } else if (words[0] == "figures") {
      figures_may_differ_ = true;
    } else if (words[0] != "redis") {
      throw std::runtime_error("an unknown directive: " + line);
    }
  }

  // Nothing for nil, OK and lists.
  void show(const rlctl::Reply& reply) {
    const bool number = reply.type == rlctl::Reply::Type::integer;
    const std::string text = number ? std::to_string(reply.integer) : reply.text;
    if (!text.empty() && text != "OK") now_ += "= " + text + "\n";
  }

  std::string lines_until_end() {
    std::string text;
    for (std::string line; (line = take()) != "@end";) text += line + "\n";
    return text;
  }

  void run(const Arguments& arguments) {
    std::string input;
    while (next_is("< ")) input += filled(take().substr(2)) + "\n";
    const std::vector<std::string> before = skip_output();
    const Outcome outcome = run_rlctl(arguments, input);
    std::vector<std::string> output = lines_of(emptied(outcome.out));
    for (const std::string& line : lines_of(emptied(outcome.err))) output.push_back("! " + line);
    const bool same =
        figures_may_differ_ && std::ranges::equal(before, output, {}, shape_of, shape_of);
    for (const std::string& line : same ? before : output) now_ += line + "\n";
    now_ += "exit " + std::to_string(outcome.exit) + "\n";
    figures_may_differ_ = false;
  }

  // The lines up to "exit N"; none if the command has no output yet.
  std::vector<std::string> skip_output() {
    const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto end = std::find_if(begin, lines_.end(), [](const std::string& line) {
      return line.starts_with("exit ") || line.starts_with("$ ");
    });
    if (end == lines_.end() || !end->starts_with("exit ")) return {};
    at_ = static_cast<std::size_t>(end - lines_.begin()) + 1;
    return {begin, end};
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::string now_;
  rlctl::test::Folder folder_;
  std::unique_ptr<TestRedis> redis_;
  bool figures_may_differ_ = false;
};

}  // namespace

std::string play_session(const std::string& session) { return Session(session).play(); }
