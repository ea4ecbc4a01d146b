// The files that a verb writes. They are checked before it reads or sends anything: no file is
// written twice, and no input is overwritten, even if the paths differ: it would be lost.
#pragma once

#include <string>
#include <vector>

namespace rlctl {

// Empty paths are ignored; "-" is standard output in `outputs` and standard input in `inputs`.
// Devices and pipes can be named more than once. Throws Error(Exit::usage).
void check_output_files(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs);

// Writes a whole file, which appears at once or not at all; "" is no file. Throws
// Error(Exit::report).
void write_file(const std::string& path, const std::string& text);

}  // namespace rlctl
