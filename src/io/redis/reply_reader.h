// ReplyReader: turns bytes from the socket into Reply values.
//
// hiredis parses; its object functions build our values in place, so a reply of four integers costs
// one allocation instead of six. Throws std::bad_alloc. next() reports a protocol error; an array
// nested deeper than kDeepest is one, since hiredis from 1.0 on has no limit of its own. One
// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "io/redis/reply.h"

struct redisReader;

namespace rlctl {

class ReplyReader {
 public:
  enum class Next { reply, need_more, protocol_error };

  static constexpr int kDeepest = 32;  // hiredis 0.14 itself stops at 8

  ReplyReader();
  ReplyReader(const ReplyReader&) = delete;  // hiredis holds the address of building_
  ReplyReader& operator=(const ReplyReader&) = delete;

  // Discards all bytes: for use with another socket.
  void reset();
  void feed(const char* bytes, std::size_t size);
  Next next(Reply& reply);
  // The reason, after protocol_error. It may quote the peer's bytes.
  std::string error() const;

  // hiredis' object functions fill it.
  struct Building {
    Reply reply;
    bool too_deep = false;
  };

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  Building building_;
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace rlctl
