// ReplyReader: bytes from the socket into Reply values.
//
// hiredis parses; its object functions build our values in place, so a reply of four integers costs
// one allocation instead of six. Throws std::bad_alloc; a protocol error is told by next(), and
// so are arrays nested deeper than kDeepest, which hiredis since 1.0 would take without end. One
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

  // Forgets what was fed: for the bytes of another socket.
  void reset();
  void feed(const char* bytes, std::size_t size);
  Next next(Reply& reply);
  // What was wrong, after protocol_error: may quote the peer's bytes.
  std::string error() const;

  // What hiredis' object functions fill.
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
