// Fingerprints: which texts have been met, in 11 to 32 bytes each, however long they are, and a
// mark of 3 bits for each. Two texts can be taken for one: among 10 million in one of 46,000 runs.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rlctl {

class Fingerprints {
 public:
  // False if the text has been met before: its mark stays as it is.
  bool add(std::string_view text, unsigned mark = 0);

  std::optional<unsigned> mark_of(std::string_view text) const;
  // Of a text that has been met.
  void mark(std::string_view text, unsigned mark);

 private:
  std::size_t place_of(std::uint64_t print) const;
  void grow();

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(64);  // 0: free
  std::size_t used_ = 0;
};

}  // namespace rlctl
