// ResponseReader: reads the response to one request, cut anywhere, into its HttpExchange: the final
// status (interim responses are skipped), the fields that are asked for, the first bytes of the
// body. Its heads and bodies are those of http_head.h and http_body.h.
//
// It accepts what libcurl accepts, apart from lengths that contradict each other and transfer
// codings other than chunked, which nobody asked for. Pure; a fault is text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/http/http_body.h"
#include "io/http/http_exchange.h"
#include "io/http/http_head.h"

namespace rlctl {

// As libcurl has it.
inline constexpr std::size_t kMostResponseHeadBytes = 300 * 1024;

class ResponseReader {
 public:
  // Begins the response to a request; `head_only`: its method was HEAD. The exchange must live
  // until the response is done or wrong.
  void begin(HttpExchange& exchange, bool head_only);

  // How many of the bytes belong to the response: all of them until it is done or wrong.
  std::size_t take(std::string_view bytes, const ResponseWishes& wishes);
  // The connection has ended: the response is done if it has no other end.
  void end_stream();
  // No more is read: takes the status from a head that is not whole.
  void give_up();

  bool begun() const { return begun_; }
  bool done() const { return phase_ == Phase::done; }
  // Why it is no HTTP response, escaped; empty if nothing is wrong.
  const std::string& problem() const { return problem_; }
  // Of a response that is done: whether another request may follow it.
  bool keeps_alive() const { return keeps_alive_; }

 private:
  enum class Phase : std::uint8_t { head, body, done };

  std::size_t take_head(std::string_view bytes, const ResponseWishes& wishes);
  void read_head(std::string_view head, const ResponseWishes& wishes);
  bool read_status(std::string_view line);
  bool read_fields(std::string_view fields, MessageFraming& framing, const ResponseWishes& wishes);
  void begin_body(const MessageFraming& framing);
  void check_beginning(std::string_view head);

  HttpExchange* exchange_ = nullptr;
  Phase phase_ = Phase::done;
  bool head_only_ = false;
  bool begun_ = false;
  bool old_ = false;  // HTTP/1.0
  bool keeps_alive_ = false;
  HttpBody body_;
  std::string head_;  // the part of a head that has come, if it came in parts
  std::string problem_;
};

}  // namespace rlctl
