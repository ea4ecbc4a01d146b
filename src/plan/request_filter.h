// Which requests of a log are looked at: --only and --exclude. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status_set.h"
#include "log/record.h"

namespace rlctl {

// "path=/api/*", "method=GET", "status=2xx", "user_agent=*bot*", or any other column. `*` stands
// for any text.
struct RequestFilter {
  std::string column;
  std::string pattern;
  StatusSet statuses;  // of the column `status`
};

// Throws Error(Exit::usage) that names the option.
RequestFilter parse_request_filter(std::string_view text, std::string_view option);

// By record: whether it is looked at. Of several filters in `only` for one column, one must fit;
// of `exclude`, none.
std::vector<bool> looked_at(const Log& log, const std::vector<RequestFilter>& only,
                            const std::vector<RequestFilter>& exclude);

// "/api/*" fits "/api/a/b".
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace rlctl
