// Rows of HAProxy's HTTP logs (`option httplog`), with or without syslog's prefix. The key is the
// client's address, the time is [accept date], the duration the last of the timers (ms). Rules may
// count by client_ip, frontend and backend.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "log/formats/columns.h"
#include "log/formats/row.h"

namespace rlctl {

class HaproxyRows final : public RowParser {
 public:
  explicit HaproxyRows(const LogColumns& columns);

  const char* parse(std::string_view line, LogRow& row) override;
  std::vector<std::string> columns() const override;

 private:
  std::array<int, 3> names_;  // of LogColumns::names(); -1: not wanted
};

}  // namespace rlctl
