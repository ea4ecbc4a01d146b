// Fingerprints: which texts have been met, in 11 to 32 bytes each, however long they are. Two texts
// can be taken for one: among 10 million in one of 370,000 runs. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rlctl {

class Fingerprints {
 public:
  // False if the text has been met before.
  bool add(std::string_view text);

 private:
  bool put(std::uint64_t print);
  void grow();

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(64);  // 0: free
  std::size_t used_ = 0;
};

}  // namespace rlctl
