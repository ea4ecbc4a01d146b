// Expressions: the Lua in a manifest (`allowed = reply[1] <= limit`), compiled once and evaluated
// by LuaJIT for every reply. Owns its interpreter. The interpreter offers only the libraries math,
// string, table and struct and the basic functions tonumber, tostring, type and unpack, and limits
// the number of instructions, and of the steps of patterns. Throws Error(Exit::usage) if an
// expression does not compile; an expression that fails on a reply has no value. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/redis/reply.h"

struct lua_State;

namespace rlctl {

// `reply[1] == 1` in an expression: == or ~= between names, elements and literals. To Lua a text
// and a number are never equal, which looks like an answer.
struct Equality {
  std::string text, left, right;
  bool negated = false;  // ~=

  // A Lua expression: 1 if it compares a text with a number, otherwise nil.
  std::string mixes_types() const;
};
std::vector<Equality> equalities_in(const std::string& expression);

class Expressions {
 public:
  // `texts` are Lua expressions over `names`; `origin` is shown in errors.
  Expressions(std::span<const std::string> texts, std::span<const std::string> names,
              const std::string& origin);

  // The place of a name among `names`: who sets it a million times looks it up once.
  using Slot = std::size_t;
  Slot slot_of(std::string_view name) const;

  // Sets a name for all later evaluations.
  void set(Slot slot, double value);
  void set(Slot slot, std::string_view value);
  // Converted as Redis does it for Lua: a number, a string, a table, false for nil.
  void set(Slot slot, const Reply& value);
  // Empty: false.
  void set(Slot slot, std::optional<double> value);
  template <class Value>
  void set(std::string_view name, const Value& value) {
    set(slot_of(name), value);
  }
  // The reply of a command that is no script: a status is its text, and an expression that asks for
  // an element which is not there fails, for nil would pass for an answer.
  void set_strictly(std::string_view name, const Reply& value);

  // The value of the n-th expression. true is 1, false and nil are 0, text that is a number is that
  // number. Empty for a table, other text, infinities and NaN.
  std::optional<double> evaluate(std::size_t index);
  // As above, but true, false and nil give no value: for times and counts.
  std::optional<double> number(std::size_t index);
  // Why the last evaluation had no value: Lua's words; empty: its value is no number.
  const std::string& problem() const { return problem_; }

 private:
  static lua_State* open();
  struct Close {
    void operator()(lua_State* lua) const;
  };
  // A name is an argument of the functions whose expressions use it: to set a global takes longer
  // than most expressions.
  struct Name {
    enum class Holds : std::uint8_t { nothing, no_value, number, object };
    std::string text;
    bool is_used = false;
    Holds holds = Holds::nothing;
    double number = 0;
    int object = 0;  // a reference into the registry; 0: none yet
  };
  struct Function {
    int reference = 0;  // into the registry
    std::vector<Slot> arguments;
    bool is_name = false;  // the expression is its only argument
  };
  void compile(const std::string& text, const std::string& origin);
  std::vector<Slot> names_in(std::string_view text);
  void take_object(Name& name);
  void push(const Name& name) const;
  const double* plain_number(std::size_t index) const;
  bool run(std::size_t index);

  std::unique_ptr<lua_State, Close> lua_;
  std::vector<Name> names_;
  std::vector<Function> functions_;
  std::string problem_;
};

}  // namespace rlctl
