// A plain HTTP target, and a fixture for tests that both engines must pass.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "io/http/http_client.h"
#include "policy/target.h"

namespace rlctl::test {

inline TargetSpec spec_for(const std::string& url) {
  TargetSpec spec;
  spec.kind = TargetKind::http;
  spec.url = url;
  return spec;
}

struct EachEngine {
  static inline HttpEngine engine = HttpEngine::own;

  EachEngine() {
    SUBCASE("own") { engine = HttpEngine::own; }
    SUBCASE("curl") { engine = HttpEngine::curl; }
  }
};

}  // namespace rlctl::test
