// One question over HTTP and what came of it. Plain values: what the peer does is data, never an
// exception, and nothing is asked twice.
#pragma once

#include <coroutine>
#include <cstdint>
#include <string>
#include <vector>

#include "base/header_field.h"

namespace rlctl {

struct HttpQuestion {
  std::string url;
  std::string method = "GET";
  std::string body;
  std::vector<std::string> headers;  // "Name: value"; without a value it is not sent
  std::string source_ip;             // an address of this machine; empty: as the kernel picks

  bool operator==(const HttpQuestion&) const = default;
};

struct HttpExchange {
  enum class State : std::uint8_t {
    pending,
    replied,   // a whole response: `status` is its final one
    not_sent,  // no byte of the request left this process: certainly not executed
    lost,      // it was sent, no whole response came (time-out, reset, cut, garbage)
  };

  State state = State::pending;
  std::uint16_t status = 0;         // of a response that was cut, too; 0: none came
  std::vector<HeaderField> fields;  // those that HttpSettings::keeps_field chose
  std::string body;                 // its first HttpSettings::kept_body_bytes
  std::string problem;              // why not_sent or lost: words, already escaped

  // sent_us: when libcurl has a connection (TCP, TLS and proxy done) and is about to write the
  // request, which it then builds and writes within microseconds; so never later than the first
  // byte. received_us: when the last byte of the response was read. 0: it did not come to that.
  std::int64_t sent_us = 0;
  std::int64_t received_us = 0;

  std::coroutine_handle<> waiter;  // for the client
};

}  // namespace rlctl
