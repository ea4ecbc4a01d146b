// One HTTP request and its result. Plain values: a failure of the peer is data, never an exception,
// and no request is sent twice.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/header_field.h"

namespace rlctl {

struct HttpQuestion {
  std::string url{};
  std::string method = "GET";
  std::string body{};
  std::vector<std::string> headers{};  // "Name: value"; not sent if the value is empty
  std::string source_ip{};             // an address of this machine; empty: the kernel chooses

  bool operator==(const HttpQuestion&) const = default;
};

inline constexpr std::size_t kMostKeptFields = 32;  // the first ones

// What is kept of a response.
struct ResponseWishes {
  std::size_t kept_body_bytes = 0;
  std::function<bool(std::string_view name)> keeps_field = [](std::string_view) { return false; };
  // A Date that is chosen is kept also when no other field is. Every response has one, so who reads
  // it only beside others saves a copy for each.
  bool keeps_lone_date = true;
};

struct HttpExchange {
  enum class State : std::uint8_t {
    pending,
    replied,   // a whole response: `status` is its final one
    not_sent,  // it did not leave this process, or was refused unread: certainly not executed
    lost,      // it was sent, but no whole response came (time-out, reset, cut, garbage)
  };

  State state = State::pending;
  std::uint16_t status = 0;           // also of a response that was cut short; 0: none came
  std::vector<HeaderField> fields;    // those that ResponseWishes::keeps_field chose
  std::vector<HeaderField> trailers;  // likewise, of those after the body (HTTP/2 only)
  std::string body;                   // its first ResponseWishes::kept_body_bytes
  std::string problem;                // why not_sent or lost: text, already escaped

  // sent_us: when there is a connection (TCP, TLS and proxy are done) and the request is about to
  // be written, so it is never later than the first byte. received_us: when the last byte of the
  // response was read. 0: that point was not reached.
  std::int64_t sent_us = 0;
  std::int64_t received_us = 0;

  std::coroutine_handle<> waiter;  // for the client
};

}  // namespace rlctl
