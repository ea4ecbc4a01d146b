// rlctl block and rlctl unblock: set and remove a block flag by hand.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/key_words.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "inspect/block_flag.h"
#include "inspect/client_name.h"
#include "inspect/key_state.h"
#include "inspect/layout_reading.h"
#include "inspect/limiter_keys.h"
#include "io/redis/keyspace.h"

namespace rlctl {
namespace {

struct BlockOptions {
  RedisOptions redis;
  KeyOptions key;
  std::string duration;
  bool json = false;
};

// A flag is one key: the name of a pattern would be a flag that no limiter reads.
KeyTarget one_key(const BlockOptions& options) {
  KeyTarget target = options.key.targets().front();
  if (target.pattern && options.key.block_key().empty())
    throw Error(Exit::usage,
                in_quotes(target.bytes) + " is a pattern, and a flag belongs to one key",
                "find the keys with rlctl inspect, or add --literal if it is a name");
  return target;
}

bool is_limiter_there(RedisSession& session, const std::string& name) {
  std::vector<std::string> keys = keys_by_name(name);
  keys.push_back(block_key_beside(name));
  const std::vector<Existence> exist = session.run(find_existing(session.redis(), keys));
  return std::ranges::any_of(exist, [](Existence one) { return one == Existence::exists; });
}

// The limiter's name; as rlctl prints it, if just that limiter is there.
std::string named_limiter(RedisSession& session, const KeyTarget& target) {
  if (target.others.empty() || is_limiter_there(session, target.bytes)) return target.bytes;
  for (const OtherName& other : target.others)
    if (is_limiter_there(session, other.bytes)) {
      tell(target.in_words() + " names a key with " + other.option + ": that one is used");
      return other.bytes;
    }
  return target.bytes;
}

// What a flag holds is its key's, so how to remove it is a verb for keys.
BlockFlag act(RedisSession& session, const std::string& key, Task<BlockFlag> task) try {
  return session.run(std::move(task));
} catch (const NotAFlag& error) {
  throw Error(error.exit(), error.what(),
              error.hint() +
                  "; if this is one, remove it: " + session.command("reset " + words_for_key(key)));
}

// The key that was named may be the flag of a library, which has no other beside it.
void refuse_if_flag(RedisSession& session, const std::string& key) {
  const std::vector<KeyState> states = session.run(glance_at(session.redis(), {key}));
  const Layouts layouts;
  const LayoutReading reading =
      LayoutReader(layouts).read(states, {{}, session.run(read_time(session.redis())).us});
  if (states.front().exists() && reading.blocks)
    throw Error(
        Exit::target,
        in_quotes(key) + " is a block flag itself, as " + joined(reading.names, " or ") +
            " names it: it was left alone",
        "to unblock its client, remove it: " + session.command("reset " + words_for_key(key)));
}

std::string was_blocked_words(const BlockFlag& before) {
  if (!before.is_set) return "it was not blocked";
  if (before.may_not_block) return "it was perhaps blocked";
  if (!before.left_us) return "it was blocked for ever";
  return "it was blocked for another " + format_duration_for_people(*before.left_us);
}

void print_block(const char* verb, const BlockFlag& before, std::int64_t for_us, bool json) {
  if (!json) {
    const std::string key = escape_for_terminal(before.key);
    if (for_us > 0)
      print(key + ": set for " + format_duration_for_people(for_us) + "; " +
            was_blocked_words(before) + "\n");
    else
      print(key + ": " + (before.is_set ? "removed; " : "nothing to remove; ") +
            was_blocked_words(before) + "\n");
    return;
  }
  Json body;
  put_bytes(body, "block_key", before.key);
  body["blocked"] = for_us > 0;
  if (for_us > 0) body["for_us"] = for_us;
  body["was_blocked"] = before.is_set;
  if (before.left_us) body["was_left_us"] = *before.left_us;
  print_json(verb, std::move(body));
}

// The keys of limiters have parts, the names of clients have none.
bool may_be_client(std::string_view key) {
  return is_address(key) || key.find_first_of(":/{|") == key.npos;
}

// A client's name is no key of its limiters, and nothing reads a flag beside it.
void tell_if_no_key(RedisSession& session, const std::string& key) {
  if (!may_be_client(key)) return;
  const std::vector<Existence> exists = session.run(find_existing(session.redis(), {key}));
  if (exists.front() == Existence::absent)
    tell("note: there is no key " + in_quotes(key) + "; if that is a client, find its limiters: " +
         session.command("inspect " + words_for_key(key)));
}

// Empty: the user names the flag, and the limiter is not asked for.
std::string own_name(RedisSession& session, const BlockOptions& options, const KeyTarget& target) {
  return options.key.block_key().empty() ? named_limiter(session, target) : "";
}

std::string flag_key(const BlockOptions& options, const std::string& name) {
  return name.empty() ? options.key.block_key() : block_key_beside(name);
}

Exit block(const BlockOptions& options) {
  const std::int64_t for_us = parse_positive_duration_us(options.duration, "--for");
  const KeyTarget target = one_key(options);
  RedisSession session(options.redis, OnReplica::refuse);
  const std::string name = own_name(session, options, target);
  const std::string key = flag_key(options, name);
  const BlockFlag before = act(session, key, set_block(session.redis(), key, for_us));
  print_block("block", before, for_us, options.json);
  if (!name.empty()) tell_if_no_key(session, name);
  return Exit::done;
}

Exit unblock(const BlockOptions& options) {
  const KeyTarget target = one_key(options);
  RedisSession session(options.redis, OnReplica::refuse);
  const std::string name = own_name(session, options, target);
  const std::string key = flag_key(options, name);
  const BlockFlag before = act(session, key, clear_block(session.redis(), key));
  if (!before.is_set && !name.empty()) refuse_if_flag(session, name);
  print_block("unblock", before, 0, options.json);
  if (!before.is_set && !name.empty()) tell_if_no_key(session, name);
  return Exit::done;
}

std::shared_ptr<BlockOptions> add_common(Options& app) {
  auto options = std::make_shared<BlockOptions>();
  options->key.add_to(app, KeyOptions::Takes::one_key);
  options->key.add_block_key_to(app);
  app.add_flag("--json", options->json, "print one JSON object");
  options->redis.add_to(app, WithoutUrl::local);
  return options;
}

Action add_block_options(Options& app) {
  auto options = add_common(app);
  app.add_option("--for", options->duration, "how long the flag stays, such as 60s")
      .required()
      .type_name("DURATION");
  return [options] { return block(*options); };
}

Action add_unblock_options(Options& app) {
  auto options = add_common(app);
  return [options] { return unblock(*options); };
}

}  // namespace

const Verb kBlockVerb{
    "block", "Sets a block flag: a limiter that reads it denies every request until it expires.",
    "  rlctl block ratelimit:ip:203.0.113.7:minute --for 60s\n"
    "  rlctl block api:u1 --for 1h --block-key banned:u1",
    add_block_options};

const Verb kUnblockVerb{"unblock", "Removes a limiter's block flag; its counts stay.",
                        "  rlctl unblock ratelimit:ip:203.0.113.7:minute\n"
                        "  rlctl unblock api:u1 --block-key banned:u1",
                        add_unblock_options};

}  // namespace rlctl
