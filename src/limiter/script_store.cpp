#include "limiter/script_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "io/redis/command.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

// Redis refused the script itself: it does not compile.
void throw_if_refused(const Exchange& exchange, const std::string& name) {
  if (exchange.is_refused() && exchange.reply.text.starts_with("ERR Error")) {
    throw Error(Exit::target,
                fmt::format("{}: Redis can't compile it: {}", escape_for_terminal(name),
                            escape_for_terminal(exchange.reply.text)),
                "the number after `user_script:` or `user_function:` is the line");
  }
  reply_or_throw(exchange);
}

// Before Redis 7, FUNCTION is an unknown command.
void throw_if_too_old(const Exchange& exchange) {
  if (exchange.is_refused() && exchange.reply.text.starts_with("ERR unknown command"))
    throw Error(Exit::target, "this Redis has no functions: they came with Redis 7",
                "use `rlctl load` without --function: it fills the script cache");
}

// From FUNCTION LIST: each function is a flat list of names and values.
std::vector<std::string> function_names_in(const Reply& functions) {
  std::vector<std::string> names;
  for (const Reply& function : functions.elements)
    for (std::size_t i = 0; i + 1 < function.elements.size(); i += 2)
      if (function.elements[i].text == "name") names.push_back(function.elements[i + 1].text);
  return names;
}

}  // namespace

Task<std::optional<std::vector<bool>>> find_cached(Redis& redis, std::vector<std::string> sha1s) {
  std::vector<std::string> command{"SCRIPT", "EXISTS"};
  command.insert(command.end(), sha1s.begin(), sha1s.end());
  const Exchange exchange = co_await redis.send(encode_command(command));
  if (is_permission_error(exchange.reply)) co_return std::nullopt;
  const Reply& reply = reply_or_throw(exchange);
  std::vector<bool> cached(sha1s.size());
  for (std::size_t i = 0; i < cached.size() && i < reply.elements.size(); ++i)
    cached[i] = reply.elements[i].integer == 1;
  co_return cached;
}

Task<> load_into_cache(Redis& redis, std::span<const Script> scripts) {
  for (const Script& script : scripts) {
    const Exchange exchange = co_await redis.send(encode_command("SCRIPT", "LOAD", script.text));
    throw_if_refused(exchange, script.origin);
    if (exchange.reply.text != script.sha1)
      throw Error(
          Exit::target,
          fmt::format("{}: Redis reports SHA-1 {}, expected {}", escape_for_terminal(script.origin),
                      escape_for_terminal(exchange.reply.text), script.sha1),
          "something between rlctl and Redis changes the data");
  }
}

std::string function_name(const Script& script) {
  std::string name = std::string(kLibraryName) + "_" + script.name;
  std::ranges::replace_if(
      name, [](char c) { return !is_name_character(c); }, '_');
  return name;
}

std::string library_text(std::span<const Script> scripts) {
  std::string text = fmt::format("#!lua name={}\n", kLibraryName);
  std::set<std::string> names;
  for (const Script& script : scripts) {
    const std::string name = function_name(script);
    if (!names.insert(name).second)
      throw Error(Exit::usage, fmt::format("two scripts would get the function name {}", name),
                  "rename one of them: -- rlctl: name = …");
    // The newline before `end` is needed: a comment at the end of the script would swallow it.
    text += fmt::format("redis.register_function('{}', function(KEYS, ARGV)\n{}\nend)\n", name,
                        without_shebang(script.text));
  }
  return text;
}

Task<FoundLibrary> find_library(Redis& redis, std::string text) {
  const Exchange exchange = co_await redis.send(
      encode_command("FUNCTION", "LIST", "LIBRARYNAME", kLibraryName, "WITHCODE"));
  throw_if_too_old(exchange);
  const Reply& reply = reply_or_throw(exchange);
  FoundLibrary found;
  if (reply.elements.empty()) co_return found;
  found.state = LibraryState::differs;
  const std::vector<Reply>& parts = reply.elements.front().elements;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (parts[i].text == "library_code" && parts[i + 1].text == text)
      found.state = LibraryState::same;
    if (parts[i].text == "functions") found.functions = function_names_in(parts[i + 1]);
  }
  co_return found;
}

Task<> load_library(Redis& redis, std::string text) {
  const Exchange exchange =
      co_await redis.send(encode_command("FUNCTION", "LOAD", "REPLACE", text));
  throw_if_too_old(exchange);
  throw_if_refused(exchange, "the library");
}

}  // namespace rlctl
