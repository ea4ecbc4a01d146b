#include "io/http/http_head.h"

#include <algorithm>

#include "base/header_field.h"
#include "base/text.h"

namespace rlctl {
namespace {

bool is_visible(char c) { return c > ' ' && c < 0x7f; }

std::string_view path_of(std::string_view target) {
  if (target == "*") return target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const auto authority_end = target.find_first_of("/?#");
    if (authority_end == target.npos || target[authority_end] != '/') return "/";
    target.remove_prefix(authority_end);
  }
  if (!target.starts_with('/')) return {};
  return target.substr(0, target.find_first_of("?#"));
}

int parse_request_line(std::string_view line, HttpHead& head) {
  const auto method_end = line.find(' ');
  const auto target_end = line.rfind(' ');
  if (method_end == line.npos || method_end == target_end) return 400;
  head.method = line.substr(0, method_end);
  head.target = line.substr(method_end + 1, target_end - method_end - 1);
  if (!is_field_name(head.method) || head.target.empty()) return 400;
  if (!std::ranges::all_of(head.target, is_visible)) return 400;
  const std::string_view version = line.substr(target_end + 1);
  if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.') return 400;
  if (version[5] != '1' || (version[7] != '0' && version[7] != '1')) return 505;
  head.minor_version = version[7] - '0';
  head.path = path_of(head.target);
  return head.path.empty() ? 400 : 0;
}

bool is_valid(const HttpField& field) {
  return is_field_name(field.name) && is_field_value(field.value);
}

void read_connection(std::string_view value, bool& close, bool& keep_alive) {
  while (!value.empty()) {
    const std::string_view option = trimmed(take_until(value, ','));
    close = close || equals_ignoring_case(option, "close");
    keep_alive = keep_alive || equals_ignoring_case(option, "keep-alive");
  }
}

// What the fields say about this message and its connection.
int read_fields(HttpHead& head) {
  int hosts = 0;
  for (const HttpField& field : head.fields) {
    if (const int status = head.framing.read(field); status != 0) return status;
    if (equals_ignoring_case(field.name, "host")) ++hosts;
    if (!equals_ignoring_case(field.name, "expect")) continue;
    head.expects_continue = equals_ignoring_case(field.value, "100-continue");
    if (!head.expects_continue) return 417;
  }
  const MessageFraming& framing = head.framing;
  if (hosts > 1 || (hosts == 0 && head.minor_version == 1)) return 400;
  if (framing.chunked && (framing.has_length || head.minor_version == 0)) return 400;
  head.keep_alive = !framing.close && (framing.keep_alive || head.minor_version == 1);
  return 0;
}

}  // namespace

// Most fields end at their length: every response has several, and only one or two of these.
int MessageFraming::read(const HttpField& field) {
  const auto is = [&](std::string_view name) {
    return field.name.size() == name.size() && equals_ignoring_case(field.name, name);
  };
  if (is("content-length")) {
    const auto length = parse_whole<std::uint64_t>(trimmed(field.value, kBlanksAndLineEnds));
    if (!length || (has_length && *length != content_length)) return 400;
    has_length = true;
    content_length = *length;
  } else if (is("transfer-encoding")) {
    const std::string_view coding = trimmed(field.value, kBlanksAndLineEnds);
    if (chunked || !equals_ignoring_case(coding, "chunked")) return 501;
    chunked = true;
  } else if (is("connection")) {
    read_connection(trimmed(field.value, kBlanksAndLineEnds), close, keep_alive);
  }
  return 0;
}

const HttpField* HttpHead::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      fields, [&](const HttpField& field) { return equals_ignoring_case(field.name, name); });
  return found == fields.end() ? nullptr : &*found;
}

std::size_t find_head_end(std::string_view bytes, std::size_t from) {
  for (auto at = bytes.find('\n', from); at != bytes.npos; at = bytes.find('\n', at + 1)) {
    if (bytes.substr(at + 1, 1) == "\n") return at + 2;
    if (bytes.substr(at + 1, 2) == "\r\n") return at + 3;
  }
  return bytes.npos;
}

std::string_view take_line(std::string_view& rest) {
  std::string_view line = take_until(rest, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_head_end(std::string_view rest) {
  return rest.empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
}

bool take_field(std::string_view& rest, HttpField& field) {
  std::string_view line = take_line(rest);
  const auto colon = line.find(':');  // not in a line that only goes on
  while (rest.starts_with(' ') || rest.starts_with('\t')) {
    const char* const from = line.data();
    const std::string_view more = take_line(rest);
    line = {from, static_cast<std::size_t>(more.data() + more.size() - from)};
  }
  if (colon == line.npos) return false;
  field = {line.substr(0, colon), trimmed(line.substr(colon + 1))};
  return true;
}

int parse_http_head(std::string_view bytes, HttpHead& head) {
  std::vector<HttpField> fields = std::move(head.fields);  // reuses the memory of the last head
  fields.clear();
  head = HttpHead{};
  head.fields = std::move(fields);
  if (const int status = parse_request_line(take_line(bytes), head); status != 0) return status;
  for (HttpField field; !is_head_end(bytes);) {
    if (!take_field(bytes, field) || !is_valid(field)) return 400;
    if (head.fields.size() == kMostFields) return 431;
    head.fields.push_back(field);
  }
  return read_fields(head);
}

}  // namespace rlctl
