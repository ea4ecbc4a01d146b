// A whole log as the text of its file.
#pragma once

#include <string>

#include "log/log_encoder.h"

namespace rlctl {

inline std::string encoded(LogFormat format, const Log& log) {
  LogEncoder encoder(format);
  std::string out;
  encoder.append_header(log, out);
  for (const Record& record : log.records) encoder.append_record(record, out);
  return out;
}

}  // namespace rlctl
