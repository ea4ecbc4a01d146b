// H2Session: the client's side of an HTTP/2 connection, without its socket: bytes go in, bytes come
// out, and streams end. libnghttp2 reads and writes the frames. Responses are kept within the
// limits of response_reader.h, and no response waits for room that we have not given (flow
// control). Pure; throws only std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/http/h2_request.h"
#include "io/http/http_exchange.h"

struct nghttp2_session;

namespace rlctl {

// One request and its response. It must live, with its exchange, until it has ended or is
// cancelled.
struct H2Stream {
  HttpExchange* exchange = nullptr;
  std::shared_ptr<const H2Request> request;
  // When it has ended: the server has certainly not looked at the request (RFC 9113, 8.7).
  bool refused = false;

  // The session's:
  std::int32_t id = 0;
  std::size_t body_sent = 0;
  std::size_t head_bytes = 0;
  bool head_done = false;  // of the final response: fields that follow are trailers
  bool whole = false;
};

class H2Session {
 public:
  explicit H2Session(const ResponseWishes& wishes);
  ~H2Session();
  H2Session(const H2Session&) = delete;
  H2Session& operator=(const H2Session&) = delete;

  // Whether the server's settings have come. Nothing is asked before that: then what is no HTTP/2
  // server has got no request, and the server's limits are known.
  bool is_ready() const { return has_settings_; }
  // Whether it will take another request, now or when others have ended.
  bool takes_more() const;
  std::size_t room() const;  // for requests, now
  std::size_t in_flight() const { return in_flight_; }
  void ask(H2Stream& stream);
  void cancel(H2Stream& stream);

  void take(std::string_view bytes, std::int64_t received_us);
  // What to send to the server. The requests that begin in it are sent now.
  std::string_view output(std::int64_t sent_us);
  void written(std::size_t bytes);
  bool has_output() const { return written_ < out_.size(); }
  // The streams that have ended since the last call.
  std::vector<H2Stream*> take_ended();

  // The session has ended, and with it each stream that is left.
  bool is_over() const;
  // Why; empty if nothing was wrong. Escaped.
  std::string problem() const;

 private:
  struct Callbacks;  // libnghttp2's, in h2_session.cpp

  void collect_output();
  bool take_field(H2Stream& stream, std::string_view name, std::string_view value);
  void end_response(H2Stream& stream);
  void closed(H2Stream& stream, std::uint32_t error);

  const ResponseWishes& wishes_;
  nghttp2_session* session_ = nullptr;
  bool has_settings_ = false;
  bool broken_ = false;
  std::size_t in_flight_ = 0;
  std::int64_t received_us_ = 0;
  std::string out_;
  std::size_t written_ = 0;           // of out_
  std::vector<H2Stream*> unstamped_;  // they begin in out_
  std::vector<H2Stream*> ended_;
  std::string fault_;               // the last one that libnghttp2 found
  bool has_goaway_ = false;         // from the server
  std::uint32_t goaway_error_ = 0;  // the server's
};

}  // namespace rlctl
