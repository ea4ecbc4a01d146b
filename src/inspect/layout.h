// A layout: how a library names the keys of its limiters, and what their values mean. The files of
// lua/layouts/ hold them, in the grammar of manifests: lines of `name = value`; each `name` begins
// a layout. They also say how it calls its script (limiter/shipped/layout_call.h). Throws
// Error(Exit::usage), which shows file:line. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limiter/manifest.h"

namespace rlctl {

// A key's name: `request_rate_limiter.{<client>}.tokens`. <client>, and names that end in _text,
// are any text, <braced_client> is one with a { in it. <limit>, <slot> and <number>, and names that
// end in _s, _ms or _us, are whole numbers from 1 on; <period> is a second, minute, hour, day,
// month or year; the others are words (letters, digits, blanks and ./_-). <slot> is the number of a
// window: the key of the slot before belongs to the same limiter.
struct LayoutKey {
  enum class Part : std::uint8_t { text, any, braced, number, period, word };
  struct NamePart {
    Part part = Part::text;
    std::string text;  // of a placeholder: its name
  };
  std::string text;  // as it is written
  std::vector<NamePart> name;
  State state;

  std::size_t literal_bytes() const;
  bool has_word() const;  // a letter or digit that all such names have
  bool has_slot() const;
  bool tells_window() const;  // a later window has another name
};

// What the name of a key says.
struct NameFilling {
  std::string name;
  std::string text;
  std::optional<double> number;
};

// Lua over the values of the keys (the names of their states; those of the slot before with
// `previous_`), `length`, `live` and `ttl_ms` (of further keys `length_2`, …), the placeholders of
// the names, limit, capacity and window_us (those of the user, if the layout does not tell them)
// and now_us. A value named `end`, a word of Lua, is end_. A string named `bytes` is no text, and
// is there as it is, for struct.unpack; one named `flag` holds anything. An expression that is
// false or nil is not known. A line that ends in \ goes on in the next.
struct Layout {
  std::string name;
  std::string words;              // how it counts: "token bucket"
  std::string prefix;             // that its keys may have or not: a second layout, with it
  LayoutKey split;                // what <client> may be made of, <client> among it; or no parts
  std::string contract;           // as in a manifest
  std::string unit = "requests";  // what is counted
  std::string stale;              // what is to be said if the user gives no policy
  bool is_common_name = false;    // other software, too, may name its keys so
  bool may_last = false;          // some of its keys have no expiry
  bool asks_apart = false;        // no command of it uses two keys
  bool blocks = false;            // its key is a block flag (inspect/block_flag.h)
  std::vector<LayoutKey> keys;    // the first must exist
  std::string limit, window_us;   // told by the keys
  std::string fits;               // whether the values are such; empty: they are
  std::string used, left, frees_us;
  std::string impossible;  // whether the values can't be: less than nothing is left
  std::string origin;      // file:line

  // Other keys belong to the same limiter.
  bool has_companions() const;
  // Whether what a name has in the place of <client> may be made of several things, and whether
  // this client may be one of them. An address is one thing.
  bool may_be_split(std::string_view in_place) const;
  bool may_hold(std::string_view in_place, std::string_view client) const;
  std::optional<RuleKind> counts_by() const;  // by its contract
};

std::vector<Layout> parse_layouts(const ManifestText& file);

// The parts of the name of a key, if it is such a name.
std::optional<std::vector<NameFilling>> fillings_of(const LayoutKey& key, std::string_view name);

// The name of a key. `slots_ahead`: counted from the slot in the fillings; empty: `*` for it.
std::string filled_name(const LayoutKey& key, const std::vector<NameFilling>& fillings,
                        std::optional<int> slots_ahead);

}  // namespace rlctl
