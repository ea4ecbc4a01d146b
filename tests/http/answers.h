// Some 500 answers that a server may give, valid or not: each engine must make the same of them.
#pragma once

#include <string>
#include <vector>

namespace rlctl::test {

struct Answer {
  std::string method;
  std::string bytes;       // after them the server closes the connection
  bool only_curl = false;  // libcurl takes it for a response, and it contradicts itself
};

std::vector<Answer> answers();

}  // namespace rlctl::test
