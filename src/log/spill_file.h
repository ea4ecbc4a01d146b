// A temporary file without a name in TMPDIR (or /tmp): it needs no clean-up, whatever ends the
// process. It is opened when something is put into it. Throws Error(Exit::target) if there is no
// place for it.
#pragma once

#include <string>
#include <string_view>

#include "log/byte_store.h"

namespace rlctl {

class SpillFile : public ByteStore {
 public:
  SpillFile() = default;
  ~SpillFile() override;
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  Extent put(std::string_view bytes) override;
  std::string get(const Extent& extent) const override;

 private:
  int file_ = -1;
  std::string folder_;
  std::int64_t size_ = 0;
};

}  // namespace rlctl
