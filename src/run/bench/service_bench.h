// A bench of HTTP services and Envoy's rate limit services, side by side, as bench.h has it for
// scripts. Nobody tells the CPU time and the memory of a service, and its clock is real time.
//
// The keys are the service's own: rlctl sends as clients that are new to it and removes nothing. A
// service whose requests do not tell its clients apart sees one client, which is over its limit
// most of the time: only denials are measured, and the attacks are played one after another, each
// when the windows before it have run out.
//
// A service that decides nothing in a measurement is left out from then on (`failed`). Nothing is
// thrown because of a service.
#pragma once

#include <span>
#include <string>

#include "io/http/http_client.h"
#include "limiter/http_target.h"
#include "run/bench/bench.h"

namespace rlctl {

struct BenchedService {
  std::string name;  // its URL, as it may be shown
  HttpTarget target;
  HttpSettings settings;  // of http_settings_for()
  bool tells_clients_apart = false;
};

// Runs the loop until the bench is done. Of the plan, nothing that is about Redis is used.
BenchResult bench_services(Loop& loop, std::span<const BenchedService> services,
                           const BenchPlan& plan, BenchProgress& progress, const LogSink& sink);

// How long the attacks take; that of a window of a minute is several minutes.
std::int64_t attacks_on_services_us(std::span<const BenchedService> services, const Policy& policy);

}  // namespace rlctl
