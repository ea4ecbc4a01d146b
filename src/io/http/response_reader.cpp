#include "io/http/response_reader.h"

#include <algorithm>
#include <optional>

#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::string_view kVersion = "HTTP/1.";

// Line ends within a folded value become blanks (RFC 9112, 5.2).
std::string unfolded(std::string_view value) {
  value = trimmed(value, kBlanksAndLineEnds);
  if (value.find('\n') == value.npos) return std::string(value);
  std::string text;
  while (!value.empty()) {
    const std::string_view line = trimmed(take_line(value), kBlanksAndLineEnds);
    if (!text.empty() && !line.empty()) text += ' ';
    text += line;
  }
  return text;
}

}  // namespace

void ResponseReader::begin(HttpExchange& exchange, bool head_only) {
  exchange_ = &exchange;
  phase_ = Phase::head;
  head_only_ = head_only;
  begun_ = false;
}

std::size_t ResponseReader::take(std::string_view bytes, const ResponseWishes& wishes) {
  begun_ = begun_ || !bytes.empty();
  std::size_t taken = 0;
  while (phase_ == Phase::head && taken < bytes.size() && problem_.empty())
    taken += take_head(bytes.substr(taken), wishes);
  if (phase_ != Phase::body) return taken;
  taken += body_.take(bytes.substr(taken), &exchange_->body, wishes.kept_body_bytes);
  if (body_.done()) phase_ = Phase::done;
  if (body_.status() != 0) problem_ = "its chunks are not valid";
  return taken;
}

std::size_t ResponseReader::take_head(std::string_view bytes, const ResponseWishes& wishes) {
  const std::size_t had = head_.size();
  if (had > 0) head_ += bytes;
  const std::string_view all = had > 0 ? head_ : bytes;
  // The line end before the empty line may be in the part that was there before.
  const std::size_t size = find_head_end(all, had - std::min<std::size_t>(had, 2));
  check_beginning(all);
  if (std::min(size, all.size()) > kMostResponseHeadBytes) problem_ = "its head is too long";
  if (!problem_.empty()) return bytes.size();
  if (size == all.npos) {
    if (had == 0) head_ = bytes;
    return bytes.size();
  }
  read_head(all.substr(0, size), wishes);
  head_ = {};
  return size - had;
}

// Before the head is whole: a peer that speaks something else may never end it.
void ResponseReader::check_beginning(std::string_view head) {
  if (kVersion.starts_with(head.substr(0, kVersion.size()))) return;
  problem_ = "it begins with " + in_quotes(head.substr(0, 20));
}

void ResponseReader::read_head(std::string_view head, const ResponseWishes& wishes) {
  MessageFraming framing;
  if (!read_status(take_line(head)) || !read_fields(head, framing, wishes)) return;
  if (exchange_->status == 101) {
    problem_ = "it changes to another protocol, which nobody asked for";
  } else if (exchange_->status >= 200) {
    begin_body(framing);
  }
}

bool ResponseReader::read_status(std::string_view line) {
  const std::string_view rest = line.substr(std::min(line.size(), kVersion.size()));
  const bool valid = rest.size() >= 5 && is_digit(rest[0]) && rest[1] == ' ' && is_digit(rest[2]) &&
                     is_digit(rest[3]) && is_digit(rest[4]) &&
                     (rest.size() == 5 || rest[5] == ' ') && rest[2] != '0';
  if (!valid) {
    problem_ = "it begins with " + in_quotes(line.substr(0, 40));
    return false;
  }
  old_ = rest[0] == '0';
  exchange_->status = *parse_whole<std::uint16_t>(rest.substr(2, 3));
  exchange_->fields.clear();
  return true;
}

bool ResponseReader::read_fields(std::string_view fields, MessageFraming& framing,
                                 const ResponseWishes& wishes) {
  std::vector<HeaderField>& kept = exchange_->fields;
  const auto keep = [&kept](const HttpField& field) {
    if (kept.size() < kMostKeptFields)
      kept.push_back({std::string(field.name), unfolded(field.value)});
  };
  std::optional<HttpField> date;
  for (HttpField field; !is_head_end(fields);) {
    if (!take_field(fields, field)) {
      problem_ = "a header has no colon";
    } else if (framing.read(field) != 0) {
      problem_ = "it has " + in_quotes(field.name) + ": " + in_quotes(field.value);
    } else if (wishes.keeps_field(field.name)) {
      if (!wishes.keeps_lone_date && equals_ignoring_case(field.name, "date"))
        date = field;
      else
        keep(field);
    }
    if (!problem_.empty()) return false;
  }
  if (date && !kept.empty()) keep(*date);
  return true;
}

void ResponseReader::begin_body(const MessageFraming& framing) {
  const bool none = head_only_ || exchange_->status == 204 || exchange_->status == 304;
  if (!none) body_.start_response(framing);
  phase_ = none || body_.done() ? Phase::done : Phase::body;
  const bool clear = !framing.chunked || (!framing.has_length && !old_);
  keeps_alive_ = clear && !framing.close && (framing.keep_alive || !old_) &&
                 (none || !body_.ends_with_stream());
}

void ResponseReader::end_stream() {
  if (phase_ == Phase::body && body_.ends_with_stream()) phase_ = Phase::done;
  give_up();
}

void ResponseReader::give_up() {
  std::string_view head = head_;
  if (head.find('\n') != head.npos) read_status(take_line(head));
}

}  // namespace rlctl
