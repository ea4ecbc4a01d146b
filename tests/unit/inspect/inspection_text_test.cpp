#include "inspect/inspection_text.h"

#include <doctest/doctest.h>

using namespace rlctl;

TEST_CASE("an inspection tells when its times are by rlctl's own clock") {
  Inspection inspection;
  inspection.name = "limit:bob";
  inspection.now.from_redis = true;
  CHECK(to_text(inspection, {}, false) == "limit:bob\n");
  inspection.now.from_redis = false;
  CHECK(to_text(inspection, {}, false) ==
        "limit:bob\n  times by rlctl's clock: Redis did not tell its time\n");
}
