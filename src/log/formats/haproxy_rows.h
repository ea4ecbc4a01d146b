// Rows of HAProxy's HTTP logs (`option httplog`), with or without syslog's prefix. The key is the
// client's address, the time is [accept date], the duration the last of the timers (ms).
#pragma once

#include "log/formats/row.h"

namespace rlctl {

class HaproxyRows final : public RowParser {
 public:
  const char* parse(std::string_view line, LogRow& row) override;
};

}  // namespace rlctl
