// --load: the share of the server's time that a search of its keys may take. Error(Exit::usage) if
// it is no share.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "io/redis/load_pacer.h"

namespace rlctl {

class ServerShareOptions {
 public:
  // `by_default` as the help shows it.
  void add_to(Options& app, const std::string& by_default = "5%");

  LoadPacer of_search() const;     // what a minute allows may be taken at once
  LoadPacer of_live_view() const;  // nothing at once: it never ends

 private:
  double share_or(double by_default) const;

  std::string text_;
};

}  // namespace rlctl
