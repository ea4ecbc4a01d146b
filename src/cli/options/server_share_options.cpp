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
  const std::int64_t percent =
      parse_millionths(text_.substr(0, text_.size() - (text_.ends_with('%') ? 1 : 0)), "--load");
  if (percent < kMillion / 100 || percent > 100 * kMillion)
    throw Error(Exit::usage, "--load: " + in_quotes(text_) + " is not from 0.01% to 100%",
                "write 1% or 5%");
  return static_cast<double>(percent) / (100.0 * kMillion);
}

}  // namespace rlctl
