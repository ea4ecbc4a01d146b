// Sentinel: the master of a service, as its Sentinels name it.
//
// All Sentinels are asked, and the one with the highest configuration epoch is believed: one that
// was cut off may still name the master of before (https://redis.io/docs/latest/develop/reference/
// sentinel-clients/, "Sentinel client spec"). The server that they name is asked for its ROLE on
// the same connection, because it may have been replaced meanwhile. Shared by all clients of a run,
// which ask in one round. A Sentinel that wants a password gets the user and the password of the
// master. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/endpoint_source.h"

namespace rlctl {

// What one Sentinel says of a master.
struct NamedMaster {
  NodeAddress address;
  std::int64_t epoch = -1;  // of the configuration: the higher one is the newer
  bool in_failover = false;
};
// The reply to SENTINEL MASTER: a flat list of names and values. Empty if it names no address.
std::optional<NamedMaster> read_named_master(const Reply& reply);

class Sentinel final : public EndpointSource {
 public:
  // `service`: an endpoint with the addresses of the Sentinels.
  Sentinel(Loop& loop, Endpoint service)
      : loop_(loop), service_(std::move(service)), asking_(loop) {}

  // Error(Exit::target) if no Sentinel answers, or if none knows the service.
  Task<Endpoint> find() override;
  // Error(Exit::target) if it is not a master. If the user may not ask (ACL), it is believed.
  Task<> verify(Redis& connected) override;
  std::int64_t watch_interval_us() const override;
  Task<bool> has_left(Endpoint endpoint) override;
  Task<std::string> why_moved(NodeAddress used) override;

 private:
  struct Told {
    NamedMaster master;
    std::int64_t asked_us = 0;
  };
  Task<> ask_all();
  Task<> ask(NodeAddress address, NamedMaster& best);
  Task<bool> try_to_ask(Endpoint sentinel, NamedMaster& best);
  Task<> know_since(std::int64_t time_us);
  Endpoint endpoint_of(const NodeAddress& node) const;
  void note_problem(const NodeAddress& sentinel, const Error& error);

  Loop& loop_;
  Endpoint service_;
  Told told_;  // by the last round
  bool asking_now_ = false;
  std::string problem_;  // of the last Sentinel that did not tell, or that does not know the name
  std::string remedy_;   // of that problem
  bool name_is_unknown_ = false;  // to one that has answered in the last round
  Connection asking_;
};

}  // namespace rlctl
