#include "limiter/names.h"

namespace rlctl {

const char* name_of(ContractKind kind) {
  switch (kind) {
    case ContractKind::sliding:
      return "sliding";
    case ContractKind::fixed:
      return "fixed";
    case ContractKind::anchored:
      return "anchored";
    case ContractKind::bucket:
      return "bucket";
    case ContractKind::none:
      break;
  }
  return "none";
}

const char* name_of(ClockSource clock) {
  switch (clock) {
    case ClockSource::redis:
      return "redis";
    case ClockSource::argument:
      return "argument";
    case ClockSource::expiry:
      break;
  }
  return "expiry";
}

const char* name_of(RunPlace run) { return run == RunPlace::server ? "server" : "client"; }

}  // namespace rlctl
