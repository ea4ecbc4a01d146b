// Replies of Redis, as values for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/redis/reply.h"

namespace rlctl::test {

inline Reply integer(std::int64_t value) {
  Reply reply;
  reply.type = Reply::Type::integer;
  reply.integer = value;
  return reply;
}

inline Reply text(std::string value, Reply::Type type = Reply::Type::string) {
  Reply reply;
  reply.type = type;
  reply.text = std::move(value);
  return reply;
}

inline Reply array(std::vector<Reply> elements) {
  Reply reply;
  reply.type = Reply::Type::array;
  reply.elements = std::move(elements);
  return reply;
}

}  // namespace rlctl::test
