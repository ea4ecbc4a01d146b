// Checks the files that a verb writes, before it reads or sends anything. No file is written twice,
// and no input is overwritten, even if the paths differ: an overwritten input would be lost.
#pragma once

#include <string>
#include <vector>

namespace rlctl {

// Empty paths are ignored; "-" is standard output in `outputs` and standard input in `inputs`.
// Devices and pipes can be named more than once. Throws Error(Exit::usage).
void check_output_files(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs);

}  // namespace rlctl
