// A whole log as the text of its file.
#pragma once

#include <string>

#include "log/log_encoder.h"

namespace rlctl {

inline std::string encoded(LogFormat format, const Log& log) {
  LogEncoder encoder(format);
  std::string out;
  encoder.append_header(log, out);
  for (std::size_t i = 0; i < log.records.size(); ++i) encoder.append_record(log, i, out);
  encoder.append_end(log, out);
  return out;
}

}  // namespace rlctl
