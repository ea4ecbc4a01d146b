// The command line of rlctl watch as values.
#pragma once

#include <string>

#include "cli/options/key_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/server_share_options.h"
#include "inspect/watch/feed.h"

namespace rlctl {

class WatchOptions {
 public:
  void add_to(Options& app);

  // What is watched. It and the others throw Error(Exit::usage) that names the option.
  WatchPlan plan() const;
  Endpoint endpoint() const { return redis_.endpoint(); }
  std::size_t most() const;
  bool once() const { return once_; }
  bool json() const { return json_; }
  bool quiet() const { return quiet_; }

 private:
  std::string pattern() const;
  std::int64_t interval_us() const;

  RedisOptions redis_;
  RegistryOptions registry_;
  LayoutOptions layouts_;
  PolicyOptions policy_;
  KeyOptions pattern_;
  ServerShareOptions load_;
  std::string interval_;
  std::string most_ = "20";
  std::string algorithm_;
  bool once_ = false;
  bool json_ = false;
  bool quiet_ = false;
};

}  // namespace rlctl
