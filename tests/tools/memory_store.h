// A ByteStore that is a text.
#pragma once

#include <string>

#include "log/byte_store.h"

namespace rlctl::test {

class MemoryStore : public ByteStore {
 public:
  Extent put(std::string_view bytes) override {
    bytes_ += bytes;
    return {static_cast<std::int64_t>(bytes_.size() - bytes.size()), bytes.size()};
  }
  std::string get(const Extent& extent) const override {
    return bytes_.substr(static_cast<std::size_t>(extent.at), extent.size);
  }

 private:
  std::string bytes_;
};

}  // namespace rlctl::test
