// Where bytes are put that do not fit into memory; log/spill_file.h is one. An interface, so that
// pure code stays pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

class ByteStore {
 public:
  struct Extent {
    std::int64_t at = 0;
    std::size_t size = 0;
  };

  virtual ~ByteStore() = default;
  // One thread at a time.
  virtual Extent put(std::string_view bytes) = 0;
  // Any thread, when nothing is put any more.
  virtual std::string get(const Extent& extent) const = 0;
};

}  // namespace rlctl
