// The limiters that are Lua: those of lua/ and lua/specimens/, embedded in the binary, those of
// --lua-dir, and files of the user's. Owns their texts. Fails with Error(Exit::usage): unknown
// name, unreadable file, bad manifest. Not thread-safe while directories are added; reading is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "limiter/manifest.h"

namespace rlctl {

struct Script {
  std::string name;    // what the user calls it: `sliding-list`
  std::string text;    // as Redis gets it
  std::string sha1;    // of the text, 40 hexadecimal digits, as SCRIPT LOAD gives it
  std::string origin;  // the file, or `lua/NAME.lua` when embedded
  Manifest manifest;
};

// The name Redis gives a script: SHA-1 of its bytes, in lower case.
std::string script_sha1(std::string_view text);

// A script from texts; `given` holds manifest lines from the command line.
Script make_script(std::string origin, std::string text, const ManifestText& beside = {},
                   const ManifestText& given = {});

// A script from a file, with FILE.manifest beside it if there is one.
Script load_script(const std::filesystem::path& file, const std::string& given = {});

class Registry {
 public:
  Registry();  // the embedded ones

  // Every *.lua directly in `directory`, in the order of names; replaces those of the same name.
  void add_directory(const std::filesystem::path& directory);

  // By name, or a file's path (it holds a slash or ends in .lua). `given` as in load_script.
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
