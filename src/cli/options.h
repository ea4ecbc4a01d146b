// What a verb's file sees of the command line's parser: CLI11 behind a thin wall, since its header
// takes longer to compile than any verb that would include it.
//
// Borrows the parser's objects, which live as long as the process parses. Values are filled in
// while it parses, so what they are stored in must outlive that. One thread.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rlctl {

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option type_name(const std::string& name);  // what --help calls the value: N, DURATION
  Option group(const std::string& heading);   // where --help lists it
  Option required();
  Option expected(int least, int most);  // how many values
  Option one_at_a_time();                // -H a -H b, and no other value belongs to it

 private:
  CLI::Option* option_;
};

class Options {
 public:
  static constexpr int kAnyNumber = 1 << 29;

  explicit Options(CLI::App& app) : app_(app) {}

  // A name with dashes is an option, one without is an argument by its place.
  Option add_option(const std::string& name, std::string& value, const std::string& help);
  Option add_option(const std::string& name, std::vector<std::string>& values,
                    const std::string& help);
  Option add_flag(const std::string& name, bool& value, const std::string& help);

 private:
  CLI::App& app_;
};

}  // namespace rlctl
