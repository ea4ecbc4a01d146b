// A plain HTTP target.
#pragma once

#include <string>

#include "policy/target.h"

namespace rlctl::test {

inline TargetSpec spec_for(const std::string& url) {
  TargetSpec spec;
  spec.kind = TargetKind::http;
  spec.url = url;
  return spec;
}

}  // namespace rlctl::test
