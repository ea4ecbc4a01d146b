#include "cli/options/server_share_options.h"

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"

namespace rlctl {

void ServerShareOptions::add_to(Options& app, const std::string& by_default) {
  const std::string help =
      "the share of Redis's time that a search may take; a minute's worth of it (at 5%: 3 s) "
      "without waiting; 100% never waits [" +
      by_default + "]";
  app.add_option("--load", text_, help).type_name("SHARE");
}

LoadPacer ServerShareOptions::of_search() const { return LoadPacer(share_or(0.05), kLoadAheadUs); }

LoadPacer ServerShareOptions::of_live_view() const { return LoadPacer(share_or(0.01)); }

double ServerShareOptions::share_or(double by_default) const {
  if (text_.empty()) return by_default;
  const double share = parse_share(text_.ends_with('%') ? text_ : text_ + '%', "--load");
  if (share < 0.0001)
    throw Error(Exit::usage, "--load: " + in_quotes(text_) + " is less than 0.01 %",
                "use 0.01% to 100%, such as 1%");
  return share;
}

}  // namespace rlctl
