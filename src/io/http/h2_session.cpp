#include "io/http/h2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "io/http/response_reader.h"

namespace rlctl {
namespace {

// The server may send this much ahead of us: no response waits for a window.
constexpr std::int32_t kWindowBytes = 16 * 1024 * 1024;

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// The bytes are not copied: they live as long as the stream.
nghttp2_nv pair_of(const HttpField& field) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(field.name), bytes(field.value), field.name.size(), field.value.size(),
          NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

void check(int result) {
  if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
}

}  // namespace

struct H2Session::Callbacks {
  static H2Session& self_of(void* self) { return *static_cast<H2Session*>(self); }

  // Null: of a stream that was cancelled.
  static H2Stream* stream_of(nghttp2_session* session, std::int32_t id) {
    return static_cast<H2Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  static int on_begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void*) {
    if (H2Stream* stream = stream_of(session, frame->hd.stream_id)) stream->head_bytes = 0;
    return 0;
  }

  static int on_header(nghttp2_session* session, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                       std::size_t value_size, std::uint8_t, void* self) {
    H2Stream* stream = stream_of(session, frame->hd.stream_id);
    const bool fits =
        stream == nullptr ||
        self_of(self).take_field(*stream, text_of(name, name_size), text_of(value, value_size));
    return fits ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  static int on_data(nghttp2_session* session, std::uint8_t, std::int32_t id,
                     const std::uint8_t* bytes, std::size_t size, void* self) {
    H2Stream* stream = stream_of(session, id);
    if (stream == nullptr) return 0;
    std::string& kept = stream->exchange->body;
    const std::size_t room = self_of(self).wishes_.kept_body_bytes - kept.size();
    kept += text_of(bytes, std::min(room, size));
    return 0;
  }

  static int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
    const nghttp2_frame_hd& head = frame->hd;
    if (head.type == NGHTTP2_SETTINGS) self_of(self).has_settings_ = true;
    if (head.type == NGHTTP2_GOAWAY) {
      self_of(self).has_goaway_ = true;
      self_of(self).goaway_error_ = frame->goaway.error_code;
    }
    H2Stream* stream = head.stream_id == 0 ? nullptr : stream_of(session, head.stream_id);
    if (stream == nullptr) return 0;
    if (head.type == NGHTTP2_RST_STREAM)
      stream->exchange->problem = std::string("the server ended the stream: ") +
                                  nghttp2_http2_strerror(frame->rst_stream.error_code);
    if (head.type == NGHTTP2_HEADERS && stream->exchange->status >= 200) stream->head_done = true;
    if ((head.type == NGHTTP2_HEADERS || head.type == NGHTTP2_DATA) &&
        (head.flags & NGHTTP2_FLAG_END_STREAM) != 0)
      self_of(self).end_response(*stream);
    return 0;
  }

  static int on_close(nghttp2_session* session, std::int32_t id, std::uint32_t error, void* self) {
    --self_of(self).in_flight_;
    if (H2Stream* stream = stream_of(session, id)) self_of(self).closed(*stream, error);
    return 0;
  }

  static int on_fault(nghttp2_session*, int, const char* text, std::size_t size, void* self) {
    self_of(self).fault_ = escape_for_terminal({text, size});
    return 0;
  }

  static ssize_t read_body(nghttp2_session* session, std::int32_t id, std::uint8_t* to,
                           std::size_t most, std::uint32_t* flags, nghttp2_data_source*, void*) {
    H2Stream* stream = stream_of(session, id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::string_view rest = stream->request->body().substr(stream->body_sent);
    const std::size_t size = std::min(most, rest.size());
    std::memcpy(to, rest.data(), size);
    stream->body_sent += size;
    if (size == rest.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  static nghttp2_session* new_session(H2Session* self) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* options = nullptr;
    nghttp2_session* session = nullptr;
    check(nghttp2_session_callbacks_new(&callbacks));
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_callbacks_set_error_callback2(callbacks, on_fault);
    check(nghttp2_option_new(&options));
    nghttp2_option_set_no_closed_streams(options, 1);
    const int result = nghttp2_session_client_new2(&session, callbacks, self, options);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    check(result);
    return session;
  }
};

H2Session::H2Session(const ResponseWishes& wishes)
    : wishes_(wishes), session_(Callbacks::new_session(this)) {
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(kWindowBytes)}};
  check(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings)));
  check(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kWindowBytes));
  collect_output();
}

H2Session::~H2Session() { nghttp2_session_del(session_); }

bool H2Session::takes_more() const {
  return !broken_ && nghttp2_session_check_request_allowed(session_) != 0;
}

std::size_t H2Session::room() const {
  if (!has_settings_ || !takes_more()) return 0;
  const std::size_t most =
      nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return most - std::min(most, in_flight_);
}

// The frame is made at once, so that the stream's bytes need not be copied.
void H2Session::ask(H2Stream& stream) {
  std::vector<nghttp2_nv> fields(stream.request->fields().size());
  std::ranges::transform(stream.request->fields(), fields.begin(), pair_of);
  const nghttp2_data_provider body{{}, Callbacks::read_body};
  stream.refused = stream.head_done = stream.whole = false;
  stream.body_sent = 0;
  stream.id = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                     stream.request->body().empty() ? nullptr : &body, &stream);
  check(stream.id);
  ++in_flight_;
  unstamped_.push_back(&stream);
  collect_output();
}

void H2Session::cancel(H2Stream& stream) {
  nghttp2_session_set_stream_user_data(session_, stream.id, nullptr);
  std::erase(unstamped_, &stream);
  check(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_CANCEL));
  collect_output();
}

void H2Session::take(std::string_view bytes, std::int64_t received_us) {
  received_us_ = received_us;
  const ssize_t taken = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  check(static_cast<int>(std::min<ssize_t>(taken, 0)));
  if (taken < 0) {
    broken_ = true;
    if (fault_.empty()) fault_ = nghttp2_strerror(static_cast<int>(taken));
  }
  collect_output();
}

void H2Session::collect_output() {
  while (!broken_) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    check(static_cast<int>(std::min<ssize_t>(size, 0)));
    broken_ = size < 0;
    if (size <= 0) return;
    out_ += text_of(bytes, static_cast<std::size_t>(size));
  }
}

std::string_view H2Session::output(std::int64_t sent_us) {
  for (H2Stream* stream : unstamped_) stream->exchange->sent_us = sent_us;
  unstamped_.clear();
  return std::string_view(out_).substr(written_);
}

void H2Session::written(std::size_t bytes) {
  written_ += bytes;
  if (written_ < out_.size()) return;
  out_.clear();
  written_ = 0;
}

std::vector<H2Stream*> H2Session::take_ended() { return std::exchange(ended_, {}); }

// False: it is too much.
bool H2Session::take_field(H2Stream& stream, std::string_view name, std::string_view value) {
  HttpExchange& exchange = *stream.exchange;
  stream.head_bytes += name.size() + value.size();
  if (stream.head_bytes > kMostResponseHeadBytes) {
    exchange.problem = "the reply is not valid HTTP: its head is too long";
    return false;
  }
  if (name == ":status") {
    exchange.status = parse_whole<std::uint16_t>(value).value_or(0);
    exchange.fields.clear();
    return true;
  }
  std::vector<HeaderField>& kept = stream.head_done ? exchange.trailers : exchange.fields;
  if (kept.size() < kMostKeptFields && wishes_.keeps_field(name))
    kept.push_back({std::string(name), std::string(value)});
  return true;
}

// A server may answer before it has the whole request: the rest is not sent.
void H2Session::end_response(H2Stream& stream) {
  stream.whole = true;
  stream.exchange->received_us = received_us_;
  if (stream.body_sent < stream.request->body().size())
    check(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_CANCEL));
}

// libnghttp2 also closes, as refused, the streams that the server's GOAWAY excludes.
void H2Session::closed(H2Stream& stream, std::uint32_t error) {
  using State = HttpExchange::State;
  HttpExchange& exchange = *stream.exchange;
  stream.refused = error == NGHTTP2_REFUSED_STREAM && exchange.status == 0;
  std::erase(unstamped_, &stream);
  ended_.push_back(&stream);
  if (stream.whole) {
    exchange.problem.clear();
    exchange.state = State::replied;
    return;
  }
  exchange.state = stream.refused || exchange.sent_us == 0 ? State::not_sent : State::lost;
  if (stream.refused) {
    exchange.problem = "the server refused the request unread";
    exchange.sent_us = 0;
  } else if (exchange.problem.empty()) {
    exchange.problem = "the reply is not valid HTTP" + (fault_.empty() ? "" : ": " + fault_);
  }
}

bool H2Session::is_over() const {
  return broken_ ||
         (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0);
}

std::string H2Session::problem() const {
  if (!has_settings_ && is_over()) return "the server does not speak HTTP/2";
  if (goaway_error_ != 0)
    return std::string("the server ended the connection: ") + nghttp2_http2_strerror(goaway_error_);
  if (!is_over() || has_goaway_) return {};
  return "the reply is not valid HTTP/2" + (fault_.empty() ? "" : ": " + fault_);
}

}  // namespace rlctl
