// What a comparison of an expectation or a --fail-if means, on whatever numbers. Pure.
#pragma once

#include "core/scenario.h"

namespace rlctl {

template <typename Number>
bool compares(Number measured, Comparison comparison, Number wanted) {
  switch (comparison) {
    case Comparison::less:
      return measured < wanted;
    case Comparison::at_most:
      return measured <= wanted;
    case Comparison::more:
      return measured > wanted;
    case Comparison::at_least:
      return measured >= wanted;
    case Comparison::equal:
      return measured == wanted;
    case Comparison::not_equal:
      break;
  }
  return measured != wanted;
}

}  // namespace rlctl
