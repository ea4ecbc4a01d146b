#include "io/http/rendered_request.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "io/http/http_url.h"

namespace rlctl {
namespace {

std::string_view field_name(std::string_view header) { return header.substr(0, header.find(':')); }

std::string_view field_value(std::string_view header) {
  return trimmed(header.substr(std::min(header.size(), header.find(':') + 1)));
}

std::size_t target_start(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  return std::min(url.size(),
                  url.find_first_of("/?#", scheme_end == url.npos ? 0 : scheme_end + 3));
}

std::string line(const std::string& name, const std::string& value) {
  return name + ": " + value + "\r\n";
}

// A parser would leave it as it is.
bool is_plain(std::string_view target) {
  const bool visible =
      std::ranges::all_of(target, [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
  return visible && target.starts_with('/') && !target.ends_with('?') &&
         target.find("/.") == target.npos;
}

}  // namespace

bool RenderedRequest::render(const HttpQuestion& question) {
  if (problem_.empty() && question == question_) return false;
  const bool from_elsewhere = question.source_ip != question_.source_ip;
  question_ = question;
  const std::string_view url = question_.url;
  const std::string_view before_target = url.substr(0, target_start(url));
  const std::string_view target = url.substr(before_target.size());
  if (problem_.empty() && !from_elsewhere && before_target == before_target_ && is_plain(target))
    target_ = target;
  else
    find_place();
  if (problem_.empty()) write();
  return true;
}

void RenderedRequest::find_place() {
  problem_.clear();
  try {
    const HttpUrl url = parse_http_url(question_.url, "the request's URL");
    before_target_ = question_.url.substr(0, target_start(question_.url));
    authority_ = url.authority;
    credentials_ = url.credentials.empty() ? "" : base64(url.credentials);
    target_ = url.target;
    place_ = std::make_shared<HttpPlace>(
        HttpPlace{url.scheme == "https", url.host, url.port, question_.source_ip});
  } catch (const Error& error) {
    problem_ = error.what();
  }
}

bool RenderedRequest::has(std::string_view name) const {
  return std::ranges::any_of(question_.headers, [&](const std::string& header) {
    return equals_ignoring_case(field_name(header), name);
  });
}

// A header of the question without a value takes the default one away.
void RenderedRequest::write() {
  std::string wire = question_.method + " " + target_ + " HTTP/1.1\r\n";
  for (const std::string& header : question_.headers)
    if (equals_ignoring_case(field_name(header), "host") && !field_value(header).empty())
      wire.append(header).append("\r\n");
  if (!has("host")) wire += line("Host", authority_);
  if (!credentials_.empty() && !has("authorization"))
    wire += line("Authorization", "Basic " + credentials_);
  if (!has("user-agent")) wire += line("User-Agent", "rlctl");
  for (const std::string& header : question_.headers)
    if (!equals_ignoring_case(field_name(header), "host") && !field_value(header).empty())
      wire.append(header).append("\r\n");
  wire += body_headers();
  wire.append("\r\n").append(question_.body);
  wire_ = std::make_shared<const std::string>(std::move(wire));
}

std::string RenderedRequest::body_headers() const {
  std::string lines;
  if (question_.body.empty() && question_.method != "POST") return lines;
  if (!has("content-length"))
    lines += line("Content-Length", std::to_string(question_.body.size()));
  if (!has("content-type")) lines += line("Content-Type", "application/x-www-form-urlencoded");
  return lines;
}

}  // namespace rlctl
