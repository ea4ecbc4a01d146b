// Keys as the libraries of lua/layouts write them: one client each, and half of what each may count
// is used, or 5 of 10. With the expiry that each library sets.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/redis/reply.h"

// Sends a command; the key is its second word.
using SendCommand = std::function<rlctl::Reply(std::vector<std::string>)>;

// Of libraries that can't be run in tests: clients c01 to c15. `now_s`: by the server's clock.
void write_library_keys(const SendCommand& send, std::int64_t now_s);

// Of those that run in real/counts_test.cpp: clients d01 to d12.
void write_keys_of_runnable_libraries(const SendCommand& send, std::int64_t now_s);

// The bytes of Bucket4j 8.19: `tokens` of 10 are left, and 10 a day come back.
std::string bucket4j_state(std::int64_t tokens, std::int64_t now_s);
