#include "io/http/http_body.h"

#include <algorithm>

#include "base/text.h"

namespace rlctl {

int HttpBody::start(const HttpHead& head) {
  *this = HttpBody{};
  chunked_ = head.chunked;
  if (chunked_) {
    state_ = State::size;
  } else {
    remaining_ = head.content_length;
    if (remaining_ > 0) state_ = State::length;
    if (remaining_ > kMostBodyBytes) refuse(413);
  }
  return status_;
}

std::size_t HttpBody::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !done() && status_ == 0) {
    if (state_ != State::length) {
      take_framing(bytes[taken++]);
      continue;
    }
    const std::uint64_t some = std::min<std::uint64_t>(remaining_, bytes.size() - taken);
    taken += some;
    remaining_ -= some;
    if (remaining_ == 0) state_ = chunked_ ? State::chunk_end : State::done;
  }
  return taken;
}

void HttpBody::take_framing(char c) {
  // Framing has the same limit as the body, so that many small chunks cannot cost more.
  if (++framing_bytes_ > kMostBodyBytes) return refuse(413);
  switch (state_) {
    case State::size:
      return take_size_digit(c);
    case State::extension:
      if (c == '\n') end_of_size();
      return;
    case State::chunk_end:
      if (c == '\n') {
        state_ = State::size;
        digits_ = 0;
      } else if (c != '\r') {
        refuse(400);
      }
      return;
    case State::line_start:
      if (c == '\n')
        state_ = State::done;
      else if (c != '\r')
        state_ = State::trailer;
      return;
    case State::trailer:
      if (c == '\n') state_ = State::line_start;
      return;
    default:
      return;
  }
}

void HttpBody::take_size_digit(char c) {
  const int digit = hex_value(c);
  if (digit >= 0) {
    if (++digits_ > 15) return refuse(413);
    remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(digit);
    return;
  }
  if (digits_ == 0 || (c != '\r' && c != '\n' && c != ';' && c != ' ' && c != '\t'))
    return refuse(400);
  state_ = State::extension;
  if (c == '\n') end_of_size();
}

void HttpBody::end_of_size() {
  total_ += remaining_;
  if (total_ > kMostBodyBytes) return refuse(413);
  state_ = remaining_ == 0 ? State::line_start : State::length;
}

void HttpBody::refuse(int status) { status_ = status; }

}  // namespace rlctl
