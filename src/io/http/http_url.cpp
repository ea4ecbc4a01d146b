#include "io/http/http_url.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "io/http/http_memory.h"

namespace rlctl {
namespace {

using Handle = std::unique_ptr<CURLU, void (*)(CURLU*)>;

Handle new_handle() {
  start_libcurl();
  Handle handle(curl_url(), curl_url_cleanup);
  if (!handle) throw std::bad_alloc();
  return handle;
}

std::string part(const Handle& url, CURLUPart what, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), what, &text, flags) != CURLUE_OK) return {};
  const std::string copy(text);
  curl_free(text);
  return copy;
}

std::string host_of(const Handle& url) {
  std::string host = part(url, CURLUPART_HOST);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return lower_case(host);
}

}  // namespace

HttpUrl parse_http_url(const std::string& text, const std::string& field) {
  const Handle handle = new_handle();
  const CURLUcode problem = curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), 0);
  if (problem != CURLUE_OK)
    throw Error(Exit::usage,
                field + ": " + in_quotes(text) + " is not a URL: " + curl_url_strerror(problem),
                "for example http://127.0.0.1:8080/v4/movies");
  HttpUrl url;
  url.scheme = part(handle, CURLUPART_SCHEME);
  url.host = host_of(handle);
  url.port = part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (url.scheme != "http" && url.scheme != "https")
    throw Error(Exit::usage, field + ": " + in_quotes(text) + " is neither http nor https");
  url.shown = without_credentials(text);
  return url;
}

std::string without_credentials(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t from = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", from), url.size());
  const std::size_t at = url.rfind('@', end);
  if (at == std::string::npos || at < from) return url;
  return url.substr(0, from) + url.substr(at + 1);
}

std::string other_place(const std::string& base, const std::string& location) {
  const Handle handle = new_handle();
  curl_url_set(handle.get(), CURLUPART_URL, base.c_str(), 0);
  const std::string host = host_of(handle);
  const std::string port = part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (curl_url_set(handle.get(), CURLUPART_URL, location.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
      CURLUE_OK)
    return {};
  const std::string new_host = host_of(handle);
  const std::string new_port = part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (new_host == host && new_port == port) return {};
  return new_host + (new_port.empty() ? "" : ":" + new_port);
}

}  // namespace rlctl
