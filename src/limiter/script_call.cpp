#include "limiter/script_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/deployment/hash_slot.h"
#include "policy/key.h"

namespace rlctl {
namespace {

constexpr std::int64_t kVirtualTtlUs = 3'600'000'000;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t used_by(const Attempt& attempt) {
  return attempt.actual_cost >= 0 ? attempt.actual_cost : attempt.cost;
}

ArgumentKind next_kind(ArgumentKind kind) {
  return static_cast<ArgumentKind>(static_cast<std::uint8_t>(kind) + 1);
}

// 1795214760.000042: a number in Lua's own format has fewer digits.
std::string decimal_seconds(std::int64_t us) {
  return fmt::format("{}.{:06}", us / 1'000'000, us % 1'000'000);
}

// Keys are made alike for all clients.
Identity any_client() {
  Identity client;
  client.ip = "192.0.2.1";
  client.user = "user";
  return client;
}

struct PeriodRow {
  std::int64_t window_us;
  const char* name;
};
constexpr PeriodRow kPeriods[] = {{1'000'000, "second"},
                                  {60'000'000, "minute"},
                                  {3'600'000'000, "hour"},
                                  {86'400'000'000, "day"}};

// Of the window; empty: it is none of these.
std::string_view period_of(const Policy& policy) {
  const auto row = std::ranges::find(kPeriods, policy.window_us, &PeriodRow::window_us);
  return row == std::end(kPeriods) ? std::string_view() : row->name;
}

// KEYS other than the policy's key itself. `<window_number>` counts windows since 1970; `<ip>`,
// `<user>` and `<n>` are those of the client that asks, if it is known.
std::string fill_key(const std::string& text, const Attempt& attempt, const Policy& policy,
                     std::int64_t now_us) {
  const std::string block_key =
      policy.block_key.empty() ? default_block_key(attempt.key) : policy.block_key;
  const std::int64_t window = policy.window_us > 0 ? now_us / policy.window_us : 0;
  const std::string number = std::to_string(window);
  const std::string previous = std::to_string(window - 1);
  const std::string start_ms = std::to_string(window * policy.window_us / 1'000);
  const std::string tagged = in_hash_tag(attempt.key);
  const Identity nobody;
  const Identity& client = attempt.identity != nullptr ? *attempt.identity : nobody;
  const std::string ip = address_in_key(client.ip);
  const std::string user = user_in_key(client.user);
  const std::string n = std::to_string(client.n);
  const KeyFilling fillings[] = {{"key", attempt.key},
                                 {"tagged_key", tagged},
                                 {"block_key", block_key},
                                 {"window_number", number},
                                 {"previous_window_number", previous},
                                 {"window_start_ms", start_ms},
                                 {"period", period_of(policy)},
                                 {"ip", ip},
                                 {"user", user},
                                 {"n", n}};
  constexpr std::size_t kOfClients = 3;
  const std::size_t known = std::size(fillings) - (attempt.identity == nullptr ? kOfClients : 0);
  return fill_key_template(text, std::span(fillings).first(known));
}

// Formats digits on the stack, then a bulk string: no allocation on the fast path.
void append_number(std::string& wire, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  append_bulk(wire, {digits, static_cast<std::size_t>(end - digits)});
}

// nil is Lua's false: a denial where `allowed` is expected, no value elsewhere.
std::optional<double> number_of(const Reply& value, ReplyField field) {
  if (value.is_integer()) return static_cast<double>(value.integer);
  if (value.is_nil() && field == ReplyField::allowed) return 0;
  const auto number = parse_whole<double>(value.text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Limits to ±2^62: converting a larger value would be undefined.
std::int64_t to_integer(double value) {
  constexpr double kMost = 4.6e18;
  return static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
}

std::int64_t to_us(double value, std::int64_t unit_us) {
  return to_integer(value * static_cast<double>(unit_us));
}

void assign(Decision& decision, const ReplyValue& meaning, std::int64_t limit, double value) {
  switch (meaning.field) {
    case ReplyField::skip:
    case ReplyField::reset:
      return;
    case ReplyField::allowed:
      decision.outcome = value > 0 ? Outcome::allowed : Outcome::denied;
      return;
    case ReplyField::remaining:
      decision.remaining = std::max<std::int64_t>(0, to_integer(value));
      return;
    case ReplyField::count:
      decision.remaining = std::max<std::int64_t>(0, limit - to_integer(value));
      return;
    case ReplyField::retry_after:
      if (value >= 0) decision.retry_after_us = to_us(value, meaning.unit_us);
      return;
    case ReplyField::decided:
      decision.decided_us = to_us(value, meaning.unit_us);
      return;
    case ReplyField::decided_from:
      decision.decided_from_us = to_us(value, meaning.unit_us);
      return;
    case ReplyField::delay:
      decision.delay_us = to_us(value, meaning.unit_us);
  }
}

}  // namespace

ScriptCall::ScriptCall(Script script, const Policy& policy, TimeSource time)
    : script_(std::move(script)), policy_(policy), time_(time) {
  check_fit();
  if (attempts_bring_time()) make_repeatable();
  expand_slots();
  const Manifest& manifest = script_.manifest;
  add_head();
  if (!manifest.is_command()) {
    for (const std::string& key : manifest.keys) add_key(key);
    for (const Argument& argument : manifest.args) add_argument(argument);
  }
  for (const Argument& word : manifest.command) add_argument(word);
  if (manifest.replies_expressions()) compile_reply();
  if (script_.setup) setup_ = std::make_unique<ScriptCall>(*script_.setup, policy, time);
  if (script_.finish) finish_ = std::make_unique<ScriptCall>(*script_.finish, policy, time);
  if (manifest.run == RunPlace::client)
    client_script_ = std::make_unique<ClientScript>(script_, ScriptBounds{}, random_());
}

void ScriptCall::add_head() {
  const Manifest& manifest = script_.manifest;
  std::string head;
  if (manifest.is_command()) {
    append_array(head, manifest.command.size());
    return add_literal(head);
  }
  append_array(head, 3 + manifest.keys.size() + manifest.args.size());
  append_bulk(head, "EVALSHA");
  append_bulk(head, script_.sha1);
  append_bulk(head, std::to_string(manifest.keys.size()));
  add_literal(head);
}

// A key with <slot> stands for as many keys as the limit allows.
void ScriptCall::expand_slots() {
  constexpr std::string_view kSlot = "<slot>";
  constexpr std::int64_t kMostSlots = 10'000;
  std::vector<std::string> keys;
  for (const std::string& key : script_.manifest.keys) {
    const auto at = key.find(kSlot);
    if (at == key.npos) {
      keys.push_back(key);
      continue;
    }
    if (policy_.limit > kMostSlots)
      throw Error(Exit::usage, "a limit of " + format_count(policy_.limit) + " needs as many keys",
                  "use a limit of at most " + format_count(kMostSlots));
    for (std::int64_t slot = 1; slot <= policy_.limit; ++slot)
      keys.push_back(std::string(key).replace(at, kSlot.size(), std::to_string(slot)));
  }
  script_.manifest.keys = std::move(keys);
}

// Ids influence their hashes (HyperLogLog), and a run on the virtual clock must be repeatable. Each
// policy has its own ids.
void ScriptCall::make_repeatable() {
  const std::string text = script_.sha1 + policy_.key;
  std::seed_seq seed(text.begin(), text.end());
  random_.seed(seed);
}

// Expressions may use the name of every argument, even if the script does not take it: if the
// script only counts, only the client knows the limit (`allowed = reply <= limit`).
void ScriptCall::compile_reply() {
  std::vector<std::string> texts, names{"reply"};
  for (const ReplyValue& value : script_.manifest.reply) {
    texts.push_back(value.expression);
    if (script_.manifest.is_command() && value.field == ReplyField::allowed)
      equalities_ = equalities_in(value.expression);
  }
  for (const Equality& equality : equalities_) texts.push_back(equality.mixes_types());
  for (auto kind = ArgumentKind::limit; kind < ArgumentKind::uuid; kind = next_kind(kind))
    names.push_back(Argument{kind, {}}.name());
  expressions_ = std::make_unique<Expressions>(texts, names, script_.origin);
  for (auto kind = ArgumentKind::limit; kind < ArgumentKind::uuid; kind = next_kind(kind))
    if (!tells_time(kind))
      expressions_->set(Argument{kind, {}}.name(), argument_number({kind, {}}));
}

// Why the last answer may be none; empty: it is one.
std::string ScriptCall::mixed_types(bool allowed) {
  for (std::size_t i = 0; i < equalities_.size(); ++i)
    if (equalities_[i].negated == allowed &&
        expressions_->number(script_.manifest.reply.size() + i))
      return equalities_[i].text + " compares a text with a number, and to Lua they always differ";
  return {};
}

double ScriptCall::argument_number(const Argument& argument) const {
  return parse_whole<double>(argument_text(argument)).value_or(0);
}

// The time of the attempt: exact on the virtual clock, otherwise the time it was sent.
void ScriptCall::set_attempt(const Attempt& attempt, const Decision& decision) {
  expressions_->set("cost", static_cast<double>(attempt.cost));
  const std::int64_t now_us =
      (attempts_bring_time() ? attempt.virtual_now_us : decision.sent_us) + attempt.clock_offset_us;
  for (auto kind = ArgumentKind::now_us; tells_time(kind); kind = next_kind(kind)) {
    const double value = kind == ArgumentKind::now_float_s
                             ? static_cast<double>(now_us) / 1e6
                             : static_cast<double>(time_number(kind, now_us));
    expressions_->set(Argument{kind, {}}.name(), value);
  }
}

void ScriptCall::check_fit() const {
  const Manifest& manifest = script_.manifest;
  const std::string name = "'" + escape_for_terminal(script_.name) + "'";
  if (!script_.is_companion && !manifest.reports(ReplyField::allowed))
    throw Error(Exit::usage,
                name + ": the manifest does not say which part of the reply is `allowed`",
                "add a line `-- rlctl: reply = allowed, …` or `allowed = reply[1] <= limit`");
  if (manifest.names_period() && period_of(policy_).empty())
    throw Error(
        Exit::usage,
        name + ": its key names the period, and " + format_duration(policy_.window_us) + " is none",
        "use a window of 1s, 1m, 1h or 1d");
  if (time_ != TimeSource::virtual_time) return;
  if (const std::string reason = needs_real_time(script_); !reason.empty())
    refuse_virtual_clock(script_, reason);
}

void ScriptCall::add_literal(std::string_view bytes) {
  if (parts_.empty() || parts_.back().kind != PartKind::literal)
    parts_.push_back({PartKind::literal, {}});
  parts_.back().bytes += bytes;
}

void ScriptCall::add_key(const std::string& key_template) {
  if (key_template.empty()) return add_literal("$0\r\n\r\n");
  parts_.push_back({PartKind::key, key_template == "<key>" ? std::string() : key_template});
}

void ScriptCall::add_argument(const Argument& argument) {
  if (argument.is_template()) {
    add_key(argument.literal);
  } else if (argument.kind == ArgumentKind::cost) {
    parts_.push_back({PartKind::cost, {}});
  } else if (argument.kind == ArgumentKind::actual_cost) {
    parts_.push_back({PartKind::actual_cost, {}});
  } else if (argument.kind == ArgumentKind::uuid) {
    parts_.push_back({PartKind::uuid, {}});
  } else if (is_given_time(argument)) {
    parts_.push_back({PartKind::now, {}, argument.kind});
  } else {
    std::string bulk;
    append_bulk(bulk, argument_text(argument));
    add_literal(bulk);
  }
}

// True if we give the time; false if the script asks Redis for it.
bool ScriptCall::is_given_time(const Argument& argument) const {
  return tells_time(argument.kind) &&
         (attempts_bring_time() || script_.manifest.clock != ClockSource::redis);
}

std::int64_t ScriptCall::time_number(ArgumentKind kind, std::int64_t now_us) const {
  switch (kind) {
    case ArgumentKind::now_ms:
      return now_us / 1'000;
    case ArgumentKind::now_s:
      return now_us / 1'000'000;
    case ArgumentKind::now_ns:
      return now_us * 1'000;
    case ArgumentKind::expires_ms:
      return (now_us + policy_.window_us) / 1'000;
    default:
      return now_us;
  }
}

std::int64_t ScriptCall::time_to_live_us() const {
  return time_ == TimeSource::virtual_time ? std::max(kVirtualTtlUs, policy_.window_us)
                                           : policy_.window_us;
}

std::string ScriptCall::argument_text(const Argument& argument) const {
  switch (argument.kind) {
    case ArgumentKind::limit:
      return std::to_string(policy_.limit);
    case ArgumentKind::capacity:
      return std::to_string(policy_.bucket_capacity());
    case ArgumentKind::window_us:
      return std::to_string(policy_.window_us);
    case ArgumentKind::window_ms:
      return std::to_string(ceil_div(policy_.window_us, 1'000));
    case ArgumentKind::window_s:
      return std::to_string(ceil_div(policy_.window_us, 1'000'000));
    case ArgumentKind::window_ns:
      return std::to_string(policy_.window_us) + "000";
    case ArgumentKind::ttl_ms:
      return std::to_string(ceil_div(time_to_live_us(), 1'000));
    case ArgumentKind::ttl_s:
      return std::to_string(ceil_div(time_to_live_us(), 1'000'000));
    case ArgumentKind::rate_per_s:
      return fmt::format(
          "{}", static_cast<double>(policy_.limit) * 1e6 / static_cast<double>(policy_.window_us));
    case ArgumentKind::emission_us:
      return fmt::format("{}", emission_us());
    case ArgumentKind::emission_ms:
      return fmt::format("{}", emission_us() / 1e3);
    case ArgumentKind::emission_s:
      return fmt::format("{}", emission_us() / 1e6);
    case ArgumentKind::block_ms:
      return std::to_string(ceil_div(policy_.block_us, 1'000));
    case ArgumentKind::literal:
      return argument.literal;
    default:  // now_*: the empty string asks Redis; cost and uuid have parts of their own
      return argument.kind == ArgumentKind::cost ? "1" : "";
  }
}

void ScriptCall::append_part(const Part& part, const Attempt& attempt, std::int64_t now_us,
                             std::string& wire) {
  switch (part.kind) {
    case PartKind::literal:
      wire += part.bytes;
      return;
    case PartKind::key:
      if (part.bytes.empty()) return append_bulk(wire, attempt.key);
      return append_bulk(wire, fill_key(part.bytes, attempt, policy_, now_us));
    case PartKind::cost:
      return append_number(wire, attempt.cost);
    case PartKind::actual_cost:
      return append_number(wire, used_by(attempt));
    case PartKind::now:
      if (part.argument == ArgumentKind::now_float_s)
        return append_bulk(wire, decimal_seconds(now_us));
      return append_number(wire, time_number(part.argument, now_us));
    case PartKind::uuid:
      if (attempt.ticket.empty()) return append_bulk(wire, uuid());
      append_bulk(wire, attempt.ticket);
  }
}

std::string ScriptCall::uuid() { return fmt::format("{:016x}{:016x}", random_(), random_()); }

std::int64_t ScriptCall::time_of(const Attempt& attempt) const {
  return (attempts_bring_time() ? attempt.virtual_now_us : now_us()) + attempt.clock_offset_us;
}

std::vector<std::string> ScriptCall::keys_of(const Attempt& attempt) const {
  std::vector<std::string> keys;
  for (const std::string& key : script_.manifest.keys)
    keys.push_back(fill_key(key, attempt, policy_, time_of(attempt)));
  for (const ScriptCall* other : {setup_.get(), finish_.get()}) {
    if (other == nullptr) continue;
    for (std::string& key : other->keys_of(attempt))
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
  }
  return keys;
}

// At the start of a day, windows of all usual lengths begin together, and so have the same start in
// their keys. Their numbers differ, as at any time.
std::vector<ScriptCall::KeyTemplate> ScriptCall::key_templates() const {
  constexpr std::int64_t kStartOfADayUs = 20'000 * kDayUs;
  const Identity any{"<ip>", "<user>"};
  Attempt attempt{policy_.key};
  attempt.identity = &any;
  std::vector<KeyTemplate> templates;
  for (const std::string& key : script_.manifest.keys)
    templates.push_back({key, fill_key(key, attempt, policy_, kStartOfADayUs)});
  for (const ScriptCall* other : {setup_.get(), finish_.get()})
    if (other != nullptr) std::ranges::copy(other->key_templates(), std::back_inserter(templates));
  return templates;
}

void ScriptCall::require_one_slot() const { require_one_slot(key_of(policy_.key, any_client())); }

void ScriptCall::require_one_slot(const std::string& key) const {
  const Identity client = any_client();
  Attempt attempt{key};
  attempt.identity = &client;
  const std::vector<std::string> keys = keys_of(attempt);
  for (const std::string& other : keys) {
    if (slot_of(other) == slot_of(keys.front())) continue;
    throw Error(
        Exit::usage,
        fmt::format("{}: a decision needs keys in different slots of this cluster: {} in slot {}, "
                    "{} in slot {}",
                    escape_for_terminal(script_.name), in_quotes(keys.front()),
                    slot_of(keys.front()), in_quotes(other), slot_of(other)),
        "all its keys need one hash tag: write the key as " + in_quotes(in_hash_tag(key)));
  }
}

ScriptCall::Values ScriptCall::values_of(const Attempt& attempt) {
  const std::int64_t now = time_of(attempt);
  Values values;
  if (script_.manifest.is_given_time()) values.told_us = now - attempt.clock_offset_us;
  for (const std::string& key : script_.manifest.keys)
    values.keys.push_back(fill_key(key, attempt, policy_, now));
  const Manifest& manifest = script_.manifest;
  for (const Argument& argument : manifest.is_command() ? manifest.command : manifest.args) {
    std::string text;
    if (argument.is_template())
      text = fill_key(argument.literal, attempt, policy_, now);
    else if (argument.kind == ArgumentKind::cost)
      text = std::to_string(attempt.cost);
    else if (argument.kind == ArgumentKind::actual_cost)
      text = std::to_string(used_by(attempt));
    else if (argument.kind == ArgumentKind::uuid)
      text = attempt.ticket.empty() ? uuid() : std::string(attempt.ticket);
    else if (!is_given_time(argument))
      text = argument_text(argument);
    else if (argument.kind == ArgumentKind::now_float_s)
      text = decimal_seconds(now);
    else
      text = std::to_string(time_number(argument.kind, now));
    values.arguments.push_back(std::move(text));
  }
  return values;
}

std::int64_t ScriptCall::render(const Attempt& attempt, std::string& wire) {
  const std::int64_t now = time_of(attempt);
  wire.clear();
  for (const Part& part : parts_) append_part(part, attempt, now, wire);
  return script_.manifest.is_given_time() ? now - attempt.clock_offset_us : kNoTime;
}

std::string_view ScriptCall::key_in(std::string_view wire) const {
  CommandWords words(wire);
  for (const Argument& word : script_.manifest.command) {
    const std::string_view written = words.next();
    if (word.is_template()) return written;
  }
  return {};
}

void ScriptCall::remark_once(std::string remark) {
  if (remark_.empty()) remark_ = std::move(remark);
}

void ScriptCall::decode(const Reply& reply, const Attempt& attempt, Decision& decision) {
  const Manifest& manifest = script_.manifest;
  if (script_.is_companion) {
    decision.outcome = Outcome::allowed;
    return;
  }
  if (expressions_) {
    if (manifest.is_command())
      expressions_->set_strictly("reply", reply);
    else
      expressions_->set("reply", reply);
    set_attempt(attempt, decision);
  }
  if (manifest.is_command() && remark_.empty())
    remark_once("the first reply of " + script_.name + " was " + reply_in_words(reply));
  decision.outcome = Outcome::unknown;
  std::string why;
  for (std::size_t i = 0; i < manifest.reply.size(); ++i) {
    const ReplyField field = manifest.reply[i].field;
    std::optional<double> value;
    if (expressions_)
      value = field == ReplyField::allowed ? expressions_->evaluate(i) : expressions_->number(i);
    else if (!reply.is_array())
      value = i == 0 ? number_of(reply, field) : std::nullopt;
    else if (i < reply.elements.size())
      value = number_of(reply.elements[i], field);
    if (value)
      assign(decision, manifest.reply[i], policy_.limit, *value);
    else if (expressions_ && field == ReplyField::allowed)
      why = expressions_->problem();
  }
  if (decision.outcome != Outcome::unknown) {
    why = mixed_types(decision.outcome == Outcome::allowed);
    if (!why.empty()) decision.outcome = Outcome::unknown;
  }
  if (decision.outcome != Outcome::unknown) return;
  decision.decided_us = decision.decided_from_us = kNoTime;  // nothing was decided then
  decision.problem = "the reply " + reply_in_words(reply) + " has no value for `allowed`" +
                     (why.empty() ? "" : " (" + escape_for_terminal(why) + ")");
}

}  // namespace rlctl
