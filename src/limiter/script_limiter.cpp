#include "limiter/script_limiter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "io/redis/command.h"
#include "io/redis/deployment/command_route.h"
#include "io/redis/redis_error.h"
#include "io/redis/script_error.h"

namespace rlctl {
namespace {

// FCALL, EVALSHA: a script decides whose text is not known here.
bool runs_script(const Manifest& manifest) {
  const std::string name = lower_case(manifest.command.front().literal);
  return name.starts_with("fcall") || name.starts_with("eval");
}

// The lines that the user wrote, without a wrapper's; of a script that is not known: a call that
// may reply with any error.
std::string_view own_text(const Script& script) {
  if (script.manifest.is_command()) return runs_script(script.manifest) ? "pcall" : "";
  std::string_view text = script.text;
  for (std::size_t i = 0; i < script.lines_before; ++i) take_until(text, '\n');
  if (script.own_lines == 0) return text;
  std::string_view rest = text;
  for (std::size_t i = 0; i < script.own_lines; ++i) take_until(rest, '\n');
  return text.substr(0, text.size() - rest.size());
}

// Removes a comment, a text, a name or one other character from the front of Lua code.
std::string_view take_token(std::string_view& code) {
  std::size_t size = 1;
  if (code.starts_with("--[[")) {
    size = code.find("]]");
  } else if (code.starts_with("--")) {
    size = code.find('\n');
  } else if (code[0] == '\'' || code[0] == '"') {
    while (size < code.size() && code[size] != code[0]) size += code[size] == '\\' ? 2 : 1;
    ++size;
  } else if (is_name_character(code[0])) {
    while (size < code.size() && is_name_character(code[size])) ++size;
  }
  const std::string_view token = code.substr(0, size);
  code.remove_prefix(token.size());
  return token;
}

bool is_text(std::string_view token) { return token[0] == '\'' || token[0] == '"'; }

// `(` and a text: the text. A call with anything else: "".
std::string text_of_call(std::string_view code) {
  while (!code.empty()) {
    const std::string_view token = take_token(code);
    if (is_text(token)) return std::string(token.substr(1, token.size() - 2));
    if (token != "(" && token != " ") break;
  }
  return {};
}

std::string problem_of(const Exchange& exchange, const Script& script) {
  if (exchange.state != Exchange::State::replied) return exchange.problem;
  return script_error_in_words(exchange.reply.text, script);
}

// The client knows no earlier than its replicas.
void settle(Decision& decision, std::string doubt, const Exchange& confirmation) {
  const bool has_answer = confirmation.state == Exchange::State::replied;
  decision.received_us = has_answer ? confirmation.received_us : kNoTime;
  if (doubt.empty()) return;
  decision.outcome = Outcome::unknown;
  decision.unconfirmed = has_answer;
  decision.problem = std::move(doubt);
}

// What can make an error, or hand one on.
constexpr std::string_view kMakers[] = {"err",   "pcall",    "xpcall", "\"err\"",
                                        "'err'", "cmsgpack", "cjson",  "setresp"};

}  // namespace

OwnErrors::OwnErrors(std::string_view script) {
  while (!script.empty()) {
    const std::string_view token = take_token(script);
    if (token == "error_reply") beginnings_.push_back(text_of_call(script));
    if (std::ranges::find(kMakers, token) != std::end(kMakers)) beginnings_.emplace_back();
    if (token != "[" || !script.starts_with('[')) continue;
    beginnings_.assign(1, "");  // a long text, where quotes mean nothing
    return;
  }
}

bool OwnErrors::may_be(std::string_view error) const {
  if (error.starts_with("ERR ") && may_be(error.substr(4))) return true;  // Redis may add it
  return std::ranges::any_of(beginnings_, [&](std::string_view beginning) {
    return error.starts_with(beginning.substr(beginning.starts_with('-') ? 1 : 0));
  });
}

std::string script_error_in_words(std::string_view error, const Script& script) {
  const ScriptError read = read_script_error(error);
  const std::string message = escape_for_terminal(read.message);
  const std::size_t line = read.line;
  const bool is_own = line > script.lines_before &&
                      (script.own_lines == 0 || line <= script.lines_before + script.own_lines);
  if (!is_own) return message;
  return fmt::format("{} (line {} of {})", message, line - script.lines_before,
                     escape_for_terminal(script.origin));
}

// A decision on its way.
struct ScriptLimiter::Asking {
  std::string wire;
  std::string_view key;  // of a command: in `wire`
  std::int64_t told_us;
  bool evaluated = true;  // `script` is the answer to it, and not to SCRIPT LOAD
  Exchange script = {};   // and its answer
  std::unique_ptr<Exchange> confirmation = nullptr;  // null: no replica is asked

  std::string_view place() const;  // in a cluster: the key that says which node it is for
};

// To be awaited: starts the script and, in the same pass, what follows it. No coroutine of its own,
// because this is done for every decision.
class ScriptLimiter::Evaluation {
 public:
  Evaluation(ScriptLimiter& limiter, Asking& asking) : limiter_(limiter), asking_(asking) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    asking_.script = {};
    asking_.script.waiter = awaiting;
    asking_.script.key = asking_.key;
    limiter_.redis_.start(asking_.script, asking_.wire);
    if (asking_.confirmation) limiter_.ask_replicas(asking_);
  }
  void await_resume() const noexcept {}

 private:
  ScriptLimiter& limiter_;
  Asking& asking_;
};

ScriptLimiter::ScriptLimiter(Redis& redis, ScriptCall& call, const ReplicaWait& wait)
    : redis_(redis),
      call_(call),
      own_errors_(own_text(call.script())),
      loads_(!call.script().manifest.is_command()),
      load_first_(loads_ && own_errors_.may_be("NOSCRIPT No matching script. Please use EVAL.")),
      wait_(wait) {
  if (wait_.replicas == 0) return;
  const std::int64_t timeout_ms = std::max<std::int64_t>(1, wait_.timeout_us / 1'000);
  wait_wire_ = encode_command("WAIT", std::to_string(wait_.replicas), std::to_string(timeout_ms));
}

// Redis refused the command before it ran anything.
bool ScriptLimiter::is_refusal(const Reply& error) const {
  return refused_before_running(error) && !own_errors_.may_be(error.text);
}

std::string_view ScriptLimiter::Asking::place() const {
  return key.empty() ? route_of(wire).key : key;
}

// Into all nodes of a cluster: the slot may be moving to another one. But one that is away keeps no
// other one from deciding.
Task<bool> ScriptLimiter::load(Asking& asking) {
  const std::string command = encode_command("SCRIPT", "LOAD", call_.script().text);
  asking.script = co_await redis_.send(command);
  if (asking.script.state != Exchange::State::replied)
    asking.script = co_await redis_.send(command, asking.place());
  co_return asking.script.has_answer();
}

// A cluster can't tell from WAIT itself where it belongs.
void ScriptLimiter::ask_replicas(Asking& asking) {
  *asking.confirmation = {};
  asking.confirmation->waiter = std::noop_coroutine();
  redis_.settle_on(asking.place());
  redis_.start(*asking.confirmation, wait_wire_);
  redis_.settle_on("");
}

std::string ScriptLimiter::why_unconfirmed(const Asking& asking) const {
  const std::string allowed = "allowed, but ";
  const Exchange& confirmation = *asking.confirmation;
  if (asking.script.sent_on)
    return allowed + "its key was moving, so WAIT asked another node's replicas";
  if (confirmation.state != Exchange::State::replied)
    return allowed + "no answer to WAIT: " + confirmation.problem;
  if (confirmation.is_refused())
    return allowed + "WAIT was refused: " + escape_for_terminal(confirmation.reply.text);
  if (confirmation.reply.integer >= wait_.replicas) return {};
  return allowed + fmt::format("{} of {} confirmed it within {}", confirmation.reply.integer,
                               counted(wait_.replicas, "replica"),
                               format_duration(wait_.timeout_us));
}

// Redis does not have the script, and has not run it.
bool ScriptLimiter::is_missing(const Exchange& exchange) {
  const bool missing =
      loads_ && exchange.reply.is_error() && error_code(exchange.reply) == "NOSCRIPT";
  load_first_ = missing && !is_refusal(exchange.reply);
  return missing && !load_first_;
}

// The frame of this coroutine is what a request on its way costs: no decision is in it.
Task<Decision> ScriptLimiter::decide(const Attempt& attempt) {
  const std::int64_t told_us = call_.render(attempt, rendered_);
  Asking asking{rendered_, {}, told_us};
  asking.key = call_.key_in(asking.wire);
  if (!wait_wire_.empty()) asking.confirmation = std::make_unique<Exchange>();
  if (load_first_) asking.evaluated = co_await load(asking);
  if (asking.evaluated) {
    co_await Evaluation(*this, asking);
    if (asking.confirmation) co_await UntilKnown{*asking.confirmation};
    if (is_missing(asking.script)) {
      const std::int64_t sent_us = asking.script.sent_us;
      asking.evaluated = co_await load(asking);
      if (asking.evaluated) co_await Evaluation(*this, asking);
      if (asking.evaluated && asking.confirmation) co_await UntilKnown{*asking.confirmation};
      asking.script.sent_us = sent_us;
    }
  }
  co_return decision_of(asking, attempt);
}

Decision ScriptLimiter::decision_of(const Asking& asking, const Attempt& attempt) {
  const Exchange& exchange = asking.script;
  Decision decision;
  if (exchange.sent_us != 0) decision.sent_us = sent_at(asking.told_us, exchange.sent_us);
  if (exchange.received_us != 0) decision.received_us = exchange.received_us;
  if (asking.evaluated && exchange.has_answer()) {
    call_.decode(exchange.reply, attempt, decision);
    if (asking.confirmation && decision.outcome == Outcome::allowed)
      settle(decision, why_unconfirmed(asking), *asking.confirmation);
    return decision;
  }
  const bool failed = !asking.evaluated || exchange.state == Exchange::State::not_sent ||
                      is_refusal(exchange.reply);
  decision.outcome = failed ? Outcome::failed : Outcome::unknown;
  decision.problem = problem_of(exchange, call_.script());
  return decision;
}

namespace {

// Of FUNCTION LIST: whether a library has a function of this name.
bool has_function(const Reply& libraries, std::string_view name) {
  for (const Reply& library : libraries.elements)
    for (const Reply& part : library.elements)
      for (const Reply& function : part.elements)
        if (function.elements.size() > 1 && function.elements[1].text == name) return true;
  return false;
}

// A user may run a command and not COMMAND or FUNCTION: then the first decision tells.
Task<> require_command(Redis& redis, std::vector<Argument> words) {
  const std::string& name = words.front().literal;
  const Exchange command = co_await redis.send(encode_command("COMMAND", "INFO", name));
  const std::vector<Reply>& known = command.reply.elements;
  if (command.has_answer() && known.size() == 1 && known[0].is_nil())
    throw Error(Exit::target, "this Redis has no command " + in_quotes(name),
                "name a server that has it with --redis; the module of a command is loaded with "
                "--loadmodule");
  if (!lower_case(name).starts_with("fcall")) co_return;
  const Exchange functions = co_await redis.send(encode_command("FUNCTION", "LIST"));
  if (!functions.has_answer() || has_function(functions.reply, words[1].literal)) co_return;
  throw Error(Exit::target, "this Redis has no function " + in_quotes(words[1].literal),
              "name a server that has it with --redis; a function is loaded with FUNCTION LOAD");
}

}  // namespace

void require_one_step(const Script& script, const ReplicaWait& wait) {
  if (wait.replicas > 0 && script.manifest.run == RunPlace::client)
    throw Error(Exit::usage,
                "wait: each command of a client-run script would need a WAIT of its own",
                "use a script that Redis runs as one step, or \"run\": \"server\"");
}

Task<> load_script_into(Redis& redis, const Script& script) {
  if (script.manifest.is_command())
    co_return co_await require_command(redis, script.manifest.command);
  co_await ask(redis, encode_command("SCRIPT", "LOAD", script.text));
}

std::string script_hint(const Decision& decision) { return hint_for_error(decision.problem); }

}  // namespace rlctl
