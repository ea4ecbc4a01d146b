// Layouts: which libraries name their keys so, and which keys belong to one limiter of theirs. Owns
// the layouts of lua/layouts/ and of --layouts. Throws Error(Exit::usage): unknown name, unreadable
// file, bad line. Adding is not thread-safe; the rest is. No library is named here.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/layout.h"

namespace rlctl {

struct NameMatch {
  const Layout* layout = nullptr;
  std::size_t key = 0;  // of the layout
  std::vector<NameFilling> fillings;

  std::string client() const;
  // One name for all keys of the limiter: that of its first key, with * for a window's number.
  std::string limiter() const;
  // One name for this key of all clients and windows: `LIMITS:LIMITER/<client>/10/1/minute`.
  std::string family() const;
};

class Layouts {
 public:
  Layouts();  // the embedded ones

  void add_file(const std::string& path);
  // Only this one: a name that it does not know is that of its only key, and all of it the client.
  void use_only(const std::string& name);

  const std::vector<std::shared_ptr<Layout>>& all() const { return layouts_; }

  // The layouts with such a key of this type; `none`: of any type. With `fits` only those whose key
  // fits the value too, and of them only those that say most about the name: there may be millions
  // of keys, and most of the layouts take any name with a colon in it.
  using Fits = std::function<bool(const State&)>;
  std::vector<NameMatch> match(std::string_view key, StateType type, const Fits& fits = {}) const;

  // Whether it is the key of this client: `fastify-rate-limit-u1` of `u1`.
  bool has_client(std::string_view key, std::string_view client) const;
  // "a route and a client", if only these may stand where a client is named, and the client be this
  // one; else empty.
  std::string split_with(std::string_view key, std::string_view client) const;

  // The limiter to which this key belongs with others; empty: no layout says so.
  std::string limiter_of(std::string_view key) const;
  // The names of the other keys of its limiter, whether or not they exist.
  std::vector<std::string> companions_of(std::string_view key) const;
  // Those of them that one command uses together with it.
  std::vector<std::string> partners_of(std::string_view key) const;

  // The family (as above) of a name that begins as no other software's does, of any type; empty:
  // no layout claims it so.
  std::string family_of(std::string_view key) const;

 private:
  struct Entry {
    const Layout* layout;
    std::size_t key;
    std::size_t literal_bytes;  // of this key
    bool has_companions;        // of the layout
  };
  void add(std::vector<Layout> layouts);
  void index();
  const std::vector<Entry>& entries_for(std::string_view key) const;

  std::vector<std::shared_ptr<Layout>> layouts_;
  // By the first byte of their names; [256]: names that begin with a placeholder. A list holds
  // these, too: the most literal name first.
  std::array<std::vector<Entry>, 257> by_first_byte_;
  bool takes_any_name_ = false;
};

}  // namespace rlctl
