#include "limiter/registry.h"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/text.h"
#include "io/byte_source.h"
#include "io/redis/script_sha1.h"
#include "limiter/shipped/embedded.h"

namespace rlctl {
namespace fs = std::filesystem;

std::string read_script_file(const std::filesystem::path& file) {
  return whole_file(file.string());
}

std::string_view without_shebang(std::string_view script) {
  return script.starts_with("#!") ? script.substr(std::min(script.find('\n'), script.size()))
                                  : script;
}

std::string needs_real_time(const Script& script) {
  // As the script names them in redis.call. A date on the virtual clock has passed in Redis.
  const std::string text = lower_case(script.text);
  for (const std::string word : {"PEXPIREAT", "EXPIREAT", "PXAT", "EXAT"})
    for (const char quote : {'\'', '"'})
      if (text.find(quote + lower_case(word) + quote) != text.npos)
        return "it gives keys a date of expiry (" + word + ")";
  if (script.manifest.is_command()) return "what a command stores expires in real time";
  if (script.is_companion && !script.manifest.is_told_time()) return {};
  if (!script.manifest.is_told_time() || script.manifest.clock == ClockSource::expiry)
    return "its keys expire in real time";
  for (const auto& other : {script.setup, script.finish})
    if (std::string reason = other ? needs_real_time(*other) : ""; !reason.empty()) return reason;
  return {};
}

void refuse_virtual_clock(const Script& script, const std::string& reason) {
  throw Error(Exit::usage, in_quotes(script.name) + " can't run on the virtual clock: " + reason,
              "use a window of a few seconds on the wall clock, or a script that takes now_us and "
              "expires keys after a time");
}

namespace {

// CL.THROTTLE; of a function, its own name.
std::string name_of_command(const std::vector<Argument>& words) {
  const bool is_function = equals_ignoring_case(words[0].literal, "FCALL") && words.size() > 1;
  return words[is_function ? 1 : 0].literal;
}

}  // namespace

Script make_script(std::string origin, std::string text, const ManifestText& beside,
                   const ManifestText& given) {
  Script script;
  script.manifest = parse_manifest({origin, text}, beside, given);
  if (script.manifest.is_command()) origin = name_of_command(script.manifest.command);
  if (script.manifest.name.empty())
    script.manifest.name = script.manifest.is_command() ? origin : fs::path(origin).stem().string();
  // A foreign script's name may contain anything, and it is shown everywhere.
  script.name = script.manifest.name = escape_for_terminal(script.manifest.name);
  script.sha1 = script_sha1(text);
  script.text = std::move(text);
  script.origin = std::move(origin);
  return script;
}

namespace {

// A script that another one names, by a path relative to itself.
using Companion = std::shared_ptr<const Script>;

Companion make_companion(std::string origin, std::string text, const std::string& role) {
  Script script;
  script.manifest = parse_companion_manifest({origin, text});
  script.name = escape_for_terminal(fs::path(origin).stem().string()) + " (" + role + ")";
  script.sha1 = script_sha1(text);
  script.text = std::move(text);
  script.origin = std::move(origin);
  script.is_companion = true;
  return std::make_shared<const Script>(std::move(script));
}

bool is_command_text(std::string_view text) { return text.find("<key>") != text.npos; }

Companion command_companion(const std::string& command, const std::string& role) {
  Script script;
  script.manifest = parse_companion_manifest({role, "-- rlctl: command = " + command});
  script.name = escape_for_terminal(command) + " (" + role + ")";
  script.origin = role;
  script.is_companion = true;
  return std::make_shared<const Script>(std::move(script));
}

std::string path_beside(const Script& script, const std::string& file) {
  return (fs::path(script.origin).parent_path() / file).lexically_normal().generic_string();
}

Companion companion_file(const Script& script, const std::string& file, const std::string& role) {
  if (file.empty()) return nullptr;
  if (is_command_text(file)) return command_companion(file, role);
  const std::string path = path_beside(script, file);
  return make_companion(path, read_script_file(path), role);
}

Script with_companion_files(Script script) {
  script.setup = companion_file(script, script.manifest.setup, "setup");
  script.finish = companion_file(script, script.manifest.finish, "finish");
  return script;
}

Companion embedded_companion(const Script& script, const std::string& name,
                             const std::string& role) {
  if (name.empty()) return nullptr;
  if (is_command_text(name)) return command_companion(name, role);
  const std::string path = path_beside(script, name);
  for (const EmbeddedFile& file : embedded_files())
    if ("lua/" + std::string(file.path) == path)
      return make_companion(path, std::string(file.text), role);
  throw std::logic_error(path + " is not embedded");
}

Script with_embedded_companions(Script script) {
  script.setup = embedded_companion(script, script.manifest.setup, "setup");
  script.finish = embedded_companion(script, script.manifest.finish, "finish");
  return script;
}

// A part of another script, or no script: not an algorithm.
bool is_part(std::string_view path) {
  return path.starts_with("wrappers/") || path.starts_with("layouts/") ||
         path.find("finishes/") != path.npos;
}

}  // namespace

Script load_script(const fs::path& file, const std::string& given) {
  const fs::path beside = file.string() + ".manifest";
  ManifestText manifest;
  if (std::error_code error; fs::exists(beside, error)) {
    manifest = {beside.string(), read_script_file(beside)};
  }
  return with_companion_files(
      make_script(file.string(), read_script_file(file), manifest, {"--manifest", given}));
}

bool is_script_file(std::string_view name_or_file) {
  return name_or_file.find('/') != name_or_file.npos || name_or_file.ends_with(".lua");
}

Registry::Registry() {
  for (const EmbeddedFile& file : embedded_files()) {
    if (is_part(file.path)) continue;
    Script script = with_embedded_companions(
        make_script("lua/" + std::string(file.path), std::string(file.text)));
    scripts_.insert_or_assign(script.name, std::move(script));
  }
}

void Registry::add_directory(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".lua") files.push_back(entry->path());
  }
  if (error) {
    throw Error(
        Exit::usage,
        "cannot read the directory " + in_quotes(directory.string()) + ": " + error.message(),
        "--lua-dir needs a directory of *.lua files");
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    Script script = load_script(file);
    scripts_.insert_or_assign(script.name, std::move(script));
  }
}

Script Registry::find(std::string_view name_or_file, const std::string& given) const {
  if (name_or_file.empty()) return make_script("the command", "", {}, {"", given});
  const auto found = scripts_.find(name_or_file);
  if (found != scripts_.end()) {
    if (given.empty()) return found->second;
    Script script =
        make_script(found->second.origin, found->second.text, {}, {"--manifest", given});
    const Script& known = found->second;
    script.setup = script.manifest.setup == known.manifest.setup
                       ? known.setup
                       : companion_file(script, script.manifest.setup, "setup");
    script.finish = script.manifest.finish == known.manifest.finish
                        ? known.finish
                        : companion_file(script, script.manifest.finish, "finish");
    return script;
  }
  if (name_or_file.find("://") != name_or_file.npos)
    throw Error(Exit::usage,
                in_quotes(without_secrets(name_or_file)) + " is a service, and this plays scripts",
                "it is for rlctl simulate --target URL, hit --target URL or probe URL");
  if (is_script_file(name_or_file)) return load_script(fs::path(name_or_file), given);
  if (name_or_file.find(' ') != name_or_file.npos)
    throw Error(Exit::usage, in_quotes(name_or_file) + " is no name of an algorithm and no file",
                "a Redis command is played by rlctl hit, simulate, bench and probe with --command");
  const std::string guess = did_you_mean(name_or_file, names());
  throw Error(Exit::usage, "there is no algorithm " + in_quotes(name_or_file),
              (guess.empty() ? "" : guess + " ") + "it is one of " + joined(sound_names()) +
                  ", one of `rlctl algos --specimens`, or a file: ./mine.lua");
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names = sound_names();
  for (std::string& name : specimen_names()) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> Registry::sound_names() const { return names_of(false); }
std::vector<std::string> Registry::specimen_names() const { return names_of(true); }

std::vector<std::string> Registry::names_of(bool specimens) const {
  std::vector<std::string> names;
  for (const auto& [name, script] : scripts_)
    if (script.manifest.flaw.empty() != specimens) names.push_back(name);
  return names;
}

}  // namespace rlctl
