#include "run/explore/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostWordBytes = 16;
constexpr std::size_t kShownOfLongWords = 6;
constexpr std::int64_t kFarFromStartUs = 40 * 86'400'000'000;
constexpr std::size_t kMostElements = 6;

std::string word_of(const std::string& text) {
  if (text.empty()) return "\"\"";
  if (text.size() <= kMostWordBytes) return escape_for_terminal(text);
  return escape_for_terminal(text.substr(0, kShownOfLongWords)) + "..";
}

std::string time_in_words(std::int64_t since_us, const std::string& text) {
  if (since_us <= -kFarFromStartUs || since_us >= kFarFromStartUs) return word_of(text);
  if (since_us == 0) return "T";
  return (since_us < 0 ? "T-" : "T+") + format_duration(since_us < 0 ? -since_us : since_us);
}

// A number that is a time near the start, in s, ms, µs or ns since 1970, is shown as T+...; other
// words are shown unchanged.
std::string word_or_time(const std::string& text, std::int64_t start_us) {
  std::int64_t number = 0;
  if (!reads_as_integer(text, number) || number < 1'000'000'000) return word_of(text);
  if (number >= 1'000'000'000'000'000'000) return time_in_words(number / 1000 - start_us, text);
  for (const std::int64_t unit_us : {1, 1'000, 1'000'000}) {
    if (number > INT64_MAX / unit_us) continue;
    const std::int64_t since_us = number * unit_us - start_us;
    if (since_us > -kFarFromStartUs && since_us < kFarFromStartUs)
      return time_in_words(since_us, text);
  }
  return word_of(text);
}

std::optional<Choice> parse_choice(const std::string& text) {
  static constexpr std::pair<char, Choice::Kind> kKinds[] = {{'c', Choice::Kind::crash},
                                                             {'t', Choice::Kind::time},
                                                             {'e', Choice::Kind::expiry},
                                                             {'f', Choice::Kind::forget}};
  Choice choice;
  std::size_t at = 0;
  for (const auto& [letter, kind] : kKinds)
    if (text.starts_with(letter)) choice.kind = kind, at = 1;
  const bool alone = choice.kind == Choice::Kind::time || choice.kind == Choice::Kind::forget;
  if (alone) return text.size() == 1 ? std::optional(choice) : std::nullopt;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + at, end, choice.index);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return choice;
}

bool is_of_client(const Choice& choice) {
  return choice.kind == Choice::Kind::client || choice.kind == Choice::Kind::crash;
}

std::string clients_in_words(std::size_t clients) {
  if (clients == 1) return "the only client is 0";
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < clients; ++i) numbers.push_back(std::to_string(i));
  return "clients are " + joined(numbers);
}

// Follows a schedule and records its trace.
class Walk {
 public:
  explicit Walk(ExploreSpace& space) : space_(space) { walked_.end = space.first(); }

  WalkedSchedule take_all(const std::vector<Choice>& choices) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const auto edges = space_.edges(walked_.end);
      const auto edge = std::find_if(edges.begin(), edges.end(),
                                     [&](const auto& one) { return one.choice == choices[i]; });
      if (edge == edges.end())
        throw Error(
            Exit::usage,
            fmt::format("--replay: step {} ({}) is not possible at this point", i + 1,
                        format_schedule({choices[i]})),
            "the client has ended or waits, or the options differ: use those of the first run");
      take(*edge, edges);
    }
    return std::move(walked_);
  }

 private:
  void take(const ExploreSpace::Edge& edge, const std::vector<ExploreSpace::Edge>& edges) {
    if (edge.choice.kind == Choice::Kind::client)
      take_client(edge, edges);
    else
      take_event(edge);
    const bool broken = space_.breaks_contract(edge.to);
    if (broken && !space_.breaks_contract(walked_.end)) {
      walked_.trace.back().breaks = true;
      walked_.broken = space_.broken_rules(edge.to);
    }
    walked_.end = edge.to;
  }

  std::string in_words(const ProgramStep& step) const {
    return (step.has_decided() ? "finish: " : "") +
           command_in_words(step.command, space_.rules().start_us);
  }

  std::string next_of(ExploreSpace::State state, std::size_t client) const {
    return in_words(*space_.pending(state, client));
  }

  std::int64_t since_start(ExploreSpace::State state) const {
    return space_.redis(state).now_us() - space_.rules().start_us;
  }

  void take_event(const ExploreSpace::Edge& edge) {
    TraceStep step;
    step.client = edge.choice.index;
    step.at_us = since_start(edge.to);
    const std::int64_t passed_us = step.at_us - since_start(walked_.end);
    switch (edge.choice.kind) {
      case Choice::Kind::crash:
        step.kind = TraceKind::crash;
        step.text = "crashes before " + next_of(walked_.end, step.client);
        break;
      case Choice::Kind::time:
        step.kind = TraceKind::time;
        step.text = format_duration(passed_us) + " later";
        break;
      case Choice::Kind::expiry:
        step.kind = TraceKind::expiry;
        step.text = "a key expires: " + format_duration(passed_us) + " later";
        break;
      default:
        step.kind = TraceKind::forget;
        step.text = "Redis forgets its scripts";
    }
    walked_.trace.push_back(std::move(step));
  }

  void take_client(const ExploreSpace::Edge& edge, const std::vector<ExploreSpace::Edge>& edges) {
    const std::size_t client = edge.choice.index;
    TraceStep step;
    step.client = client;
    step.at_us = since_start(walked_.end);
    const bool could_go_on = std::any_of(edges.begin(), edges.end(), [&](const auto& one) {
      return last_ && one.choice == Choice{Choice::Kind::client, *last_};
    });
    if (could_go_on && *last_ != client && !space_.is_holding(walked_.end, *last_)) {
      ++walked_.preemptions;
      step.interrupted_client = *last_;
      if (space_.pending(walked_.end, *last_) != nullptr)
        step.interrupted = next_of(walked_.end, *last_);
    }
    last_ = edge.choice.index;
    add_command(step, edge);
    add_decision(client, edge.to);
  }

  void add_command(TraceStep& step, const ExploreSpace::Edge& edge) {
    LocalStates& locals = space_.locals();
    const auto& slot = space_.slot(walked_.end, step.client);
    const LocalStates::Id local =
        slot.phase == ExploreSpace::Phase::running
            ? slot.local
            : locals.start({step.client, space_.redis(walked_.end).now_us()});
    const Words command = locals.step(local).command;
    if (command.empty()) return;
    RedisModel redis = space_.redis(walked_.end);
    const Reply reply = redis.execute(step.client, command);
    const auto& after = space_.slot(edge.to, step.client);
    LocalStates::Id next = locals.after(local, reply);
    const bool goes_there = after.phase == ExploreSpace::Phase::running && after.local == next;
    for (; !goes_there && locals.step(next).command == command; ++step.tries)
      next = locals.after(next, reply);
    step.text = in_words(locals.step(local));
    step.reply = reply_in_words(reply, space_.rules().start_us);
    walked_.trace.push_back(step);
  }

  void add_decision(std::size_t client, ExploreSpace::State to) {
    if (space_.has_decided(walked_.end, client) || !space_.has_decided(to, client)) return;
    const bool holds = space_.pending(to, client) != nullptr;
    const bool is_held = !any_window(space_.rules().contract);
    TraceStep step;
    step.kind = TraceKind::decision;
    step.client = client;
    step.outcome = holds ? Outcome::allowed : space_.slot(to, client).outcome;
    step.admitted = static_cast<std::int64_t>(is_held ? space_.held(to) : space_.admitted(to));
    step.at_us = since_start(to);
    walked_.trace.push_back(std::move(step));
  }

  ExploreSpace& space_;
  WalkedSchedule walked_;
  std::optional<std::uint8_t> last_;
};

}  // namespace

std::string format_schedule(const std::vector<Choice>& choices) {
  std::string text;
  for (const Choice& choice : choices) {
    if (!text.empty()) text += ',';
    if (choice.kind == Choice::Kind::crash) text += 'c';
    if (choice.kind == Choice::Kind::expiry) text += 'e';
    if (choice.kind == Choice::Kind::time)
      text += 't';
    else if (choice.kind == Choice::Kind::forget)
      text += 'f';
    else
      text += std::to_string(choice.index);
  }
  return text;
}

std::vector<Choice> parse_schedule(const std::string& text, std::size_t clients) {
  std::vector<Choice> choices;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    const std::optional<Choice> choice = parse_choice(one);
    if (!choice || (is_of_client(*choice) && choice->index >= clients))
      throw Error(Exit::usage,
                  choice ? fmt::format("--replay: there is no client {}", choice->index)
                         : "--replay: " + in_quotes(one) + " is not a step of a schedule",
                  clients_in_words(clients) +
                      "; c0 is a crash, t a time step, e0 an expiry, f a SCRIPT FLUSH");
    choices.push_back(*choice);
    at = end + 1;
  }
  return choices;
}

WalkedSchedule walk_schedule(ExploreSpace& space, const std::vector<Choice>& choices) {
  return Walk(space).take_all(choices);
}

std::vector<Choice> renamed_by_order(std::vector<Choice> choices) {
  std::vector<std::uint8_t> begun;
  for (Choice& choice : choices) {
    if (!is_of_client(choice)) continue;
    auto place = std::find(begun.begin(), begun.end(), choice.index);
    if (place == begun.end()) place = begun.insert(place, choice.index);
    choice.index = static_cast<std::uint8_t>(place - begun.begin());
  }
  return choices;
}

std::string command_in_words(const Words& command, std::int64_t start_us) {
  const bool by_name = command[0] == "EVALSHA" && command.size() > 3;
  std::string text = by_name ? "script" : word_of(command[0]);
  for (std::size_t i = by_name ? 3 : 1; i < command.size(); ++i)
    text += " " + word_or_time(command[i], start_us);
  return text;
}

std::string reply_in_words(const Reply& reply, std::int64_t start_us) {
  if (reply.is_nil()) return "nothing";
  if (reply.is_integer()) return word_or_time(std::to_string(reply.integer), start_us);
  if (reply.is_error()) return escape_for_terminal(reply.text);
  if (!reply.is_array()) return word_or_time(reply.text, start_us);
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(reply.elements.size(), kMostElements); ++i)
    text += (i > 0 ? " " : "") + reply_in_words(reply.elements[i], start_us);
  return text + (reply.elements.size() > kMostElements ? " ...]" : "]");
}

}  // namespace rlctl
