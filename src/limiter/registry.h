// The limiters written in Lua: those of lua/ and lua/specimens/, embedded in the binary, those of
// --lua-dir, and the user's own files; and Redis commands that limit. Owns their texts. Throws
// Error(Exit::usage): unknown name, unreadable file, bad manifest. Adding directories is not
// thread-safe; reading is.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "limiter/manifest.h"

namespace rlctl {

struct Script {
  std::string name;    // what the user calls it: `sliding-list`
  std::string text;    // as sent to Redis; of a command: empty
  std::string sha1;    // of the text, 40 hexadecimal digits, as SCRIPT LOAD returns it
  std::string origin;  // the file, or `lua/NAME.lua` when embedded
  Manifest manifest;
  std::shared_ptr<const Script> setup;   // null: nothing is done before a key's first decision
  std::shared_ptr<const Script> finish;  // null: nothing is done when the work is over
  // Of a wrapped script: the lines of `text` before its own first line, and the number of its own.
  std::size_t lines_before = 0;
  std::size_t own_lines = 0;  // 0: it is not wrapped
  bool is_companion = false;  // the setup or finish of another: its reply means nothing. It may be
                              // a command
};

// The text of a file. Error(Exit::usage) if it can't be read.
std::string read_script_file(const std::filesystem::path& file);

// #!lua on the first line is for Redis. Line numbers stay the same.
std::string_view without_shebang(std::string_view script);

// Why the script cannot be played on the virtual clock, which Redis does not share: "its keys
// expire in real time". Empty: it can.
std::string needs_real_time(const Script& script);
[[noreturn]] void refuse_virtual_clock(const Script& script, const std::string& reason);

// A script from texts, without its companions; `given` holds manifest lines from the command line.
Script make_script(std::string origin, std::string text, const ManifestText& beside = {},
                   const ManifestText& given = {});

// A script from a file, with FILE.manifest beside it if there is one, and with its setup
// and finish.
Script load_script(const std::filesystem::path& file, const std::string& given = {});

// A path contains a slash or ends in .lua.
bool is_script_file(std::string_view name_or_file);

class Registry {
 public:
  Registry();  // the embedded ones

  // Adds every *.lua directly in `directory`, in the order of names. Replaces scripts with the same
  // name.
  void add_directory(const std::filesystem::path& directory);

  // By name, or by a file's path. `given` as in load_script; without a name, it is the whole
  // manifest of a command.
  Script find(std::string_view name_or_file, const std::string& given = {}) const;

  std::vector<std::string> names() const;  // sound ones first, then those with a flaw; sorted
  std::vector<std::string> sound_names() const;
  std::vector<std::string> specimen_names() const;  // those with a flaw
  const std::map<std::string, Script, std::less<>>& scripts() const { return scripts_; }

 private:
  std::vector<std::string> names_of(bool specimens) const;

  std::map<std::string, Script, std::less<>> scripts_;
};

}  // namespace rlctl
