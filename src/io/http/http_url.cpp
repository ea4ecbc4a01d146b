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

// Dots in the path are removed, and the fragment is.
std::string target_of(const Handle& url) {
#ifndef CURLU_GET_EMPTY  // before libcurl 8.8 it is the only way
  constexpr unsigned CURLU_GET_EMPTY = 0;
#endif
  char* query = nullptr;
  const bool has_query =
      curl_url_get(url.get(), CURLUPART_QUERY, &query, CURLU_GET_EMPTY) == CURLUE_OK;
  curl_free(query);
  return part(url, CURLUPART_PATH) + (has_query ? "?" : "") + part(url, CURLUPART_QUERY);
}

std::string credentials_of(const Handle& url) {
  const std::string user = part(url, CURLUPART_USER, CURLU_URLDECODE);
  const std::string password = part(url, CURLUPART_PASSWORD, CURLU_URLDECODE);
  return user.empty() && password.empty() ? "" : user + ":" + password;
}

// What has no scheme may still be meant as "user:password@host".
std::string shown_url(const std::string& text) {
  if (text.find("://") != std::string::npos) return without_secrets(text);
  return without_secrets("://" + text).substr(3);
}

}  // namespace

HttpUrl parse_http_url(const std::string& text, const std::string& field) {
  const Handle handle = new_handle();
  const std::string shown = shown_url(text);
  const CURLUcode problem = curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), 0);
  if (problem != CURLUE_OK)
    throw Error(Exit::usage,
                field + ": " + in_quotes(shown) + " is not a URL: " + curl_url_strerror(problem),
                "for example http://127.0.0.1:8080/v4/movies");
  HttpUrl url;
  url.scheme = part(handle, CURLUPART_SCHEME);
  url.host = host_of(handle);
  url.port = part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (url.scheme != "http" && url.scheme != "https")
    throw Error(Exit::usage, field + ": " + in_quotes(shown) + " is neither http nor https");
  url.shown = shown;
  const std::string port = part(handle, CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
  url.authority = part(handle, CURLUPART_HOST) + (port.empty() ? "" : ":" + port);
  url.target = target_of(handle);
  url.credentials = credentials_of(handle);
  return url;
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
