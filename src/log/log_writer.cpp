#include "log/log_writer.h"

#include <cstddef>

namespace rlctl {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;

}  // namespace

void LogWriter::write(const Log& log) {
  any_ = true;
  std::string chunk;
  chunk.reserve(kChunkBytes + 4096);
  encoder_.append_header(log, chunk);
  for (const Record& record : log.records) {
    encoder_.append_record(record, chunk);
    if (chunk.size() < kChunkBytes) continue;
    file_.write(chunk);
    chunk.clear();
  }
  file_.write(chunk);
}

void LogWriter::close() {
  if (any_) file_.close();
}

}  // namespace rlctl
