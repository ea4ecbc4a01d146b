// Where a verb writes, checked before it reads or sends anything: no file twice, and none that it
// reads, by whatever names they go; what was read could not be had again.
#pragma once

#include <string>
#include <vector>

namespace rlctl {

// Empty paths are none; "-" is standard output among `outputs`, standard input among `inputs`.
// Devices and pipes may be named as often as one likes. Throws Error(Exit::usage).
void check_output_files(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs);

}  // namespace rlctl
