#include "io/http/http_body.h"

#include <algorithm>

#include "base/header_field.h"
#include "base/text.h"

namespace rlctl {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

int HttpBody::start(const MessageFraming& framing) {
  *this = HttpBody{};
  chunked_ = framing.chunked;
  if (chunked_) {
    state_ = State::size;
  } else {
    remaining_ = framing.content_length;
    if (remaining_ > 0) state_ = State::length;
    if (remaining_ > kMostBodyBytes) refuse(413);
  }
  return status_;
}

void HttpBody::start_response(const MessageFraming& framing) {
  start(framing);
  strict_ = false;
  status_ = 0;
  if (!framing.chunked && !framing.has_length) state_ = State::stream;
}

std::size_t HttpBody::take(std::string_view bytes, std::string* kept, std::size_t most) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !done() && status_ == 0) {
    if (state_ != State::length && state_ != State::stream) {
      take_framing(bytes[taken++]);
      continue;
    }
    std::size_t some = bytes.size() - taken;
    if (state_ == State::length) some = std::min<std::uint64_t>(remaining_, some);
    if (kept != nullptr && kept->size() < most)
      kept->append(bytes.substr(taken, std::min(some, most - kept->size())));
    taken += some;
    if (state_ == State::stream) continue;
    remaining_ -= some;
    if (remaining_ == 0) state_ = chunked_ ? State::chunk_end : State::done;
  }
  return taken;
}

void HttpBody::take_framing(char c) {
  // Framing has the same limit as the body, so that many small chunks cannot cost more.
  if (strict_ && ++framing_bytes_ > kMostBodyBytes) return refuse(413);
  // CR and LF only together: programs differ in where a line with one of them ends.
  if (strict_ && after_cr_ != (c == '\n')) return refuse(400);
  after_cr_ = c == '\r';
  if (c == '\n')
    end_of_line();
  else if (c != '\r' && !take_in_line(c))
    refuse(400);
}

void HttpBody::end_of_line() {
  switch (state_) {
    case State::chunk_end:
      state_ = State::size;
      digits_ = 0;
      return;
    case State::line_start:
      state_ = State::done;
      return;
    case State::trailer:
      state_ = State::line_start;
      return;
    case State::trailer_name:
      if (strict_) return refuse(400);
      state_ = State::line_start;
      return;
    default:
      return end_of_size();
  }
}

// False if this character cannot stand here.
bool HttpBody::take_in_line(char c) {
  switch (state_) {
    case State::size:
      return take_size_digit(c);
    case State::blanks:
      if (c == ';') state_ = State::extension;
      return c == ';' || is_blank(c) || !strict_;
    case State::line_start:
      state_ = State::trailer_name;
      return is_token_character(c) || !strict_;
    case State::trailer_name:
      if (c == ':') state_ = State::trailer;
      return c == ':' || is_token_character(c) || !strict_;
    case State::extension:
    case State::trailer:
      return is_field_value({&c, 1}) || !strict_;
    default:
      return false;
  }
}

bool HttpBody::take_size_digit(char c) {
  if (const int digit = hex_value(c); digit >= 0) {
    if (++digits_ > 15) refuse(413);
    remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(digit);
    return true;
  }
  state_ = c == ';' ? State::extension : State::blanks;
  return digits_ > 0 && (c == ';' || is_blank(c) || !strict_);
}

void HttpBody::end_of_size() {
  if (digits_ == 0) return refuse(400);
  total_ += remaining_;
  if (strict_ && total_ > kMostBodyBytes) return refuse(413);
  state_ = remaining_ == 0 ? State::line_start : State::length;
}

void HttpBody::refuse(int status) { status_ = status; }

}  // namespace rlctl
