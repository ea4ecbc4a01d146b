// HttpTransfer: one easy handle of libcurl, reused for one exchange after the other. It sets only
// the options that differ from the request before. A user who repeats a request changes none, and
// the URL stays parsed.
//
// Owns the handle. Borrows the settings and the sockets, which must outlive it. One thread. For
// CurlClient only.
#pragma once

#include <curl/curl.h>

#include <list>
#include <string>
#include <string_view>

#include "io/http/curl_client.h"
#include "io/http/http_exchange.h"

namespace rlctl {

class HttpTransfer {
 public:
  // `close_socket` of libcurl's type curl_closesocket_callback, called with `sockets`.
  HttpTransfer(const HttpSettings& settings, curl_slist* resolve,
               curl_closesocket_callback close_socket, void* sockets);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  CURL* easy() const { return easy_; }
  static HttpTransfer& of(CURL* easy);

  // The exchange must live until it is finished.
  void begin(HttpExchange& exchange, const HttpQuestion& request, std::int64_t now_us);
  // Fills in the exchange and drops its pointer to it.
  HttpExchange& finish(CURLcode result, std::int64_t received_us);
  HttpExchange& give_up(const std::string& problem_before, const std::string& problem_after);

  std::int64_t begun_us() const { return begun_us_; }

  // Position in the client's list.
  std::list<HttpTransfer>::iterator place;

 private:
  void set_tls();
  void set_constants(curl_slist* resolve, curl_closesocket_callback close_socket, void* sockets);
  void set_request(const HttpQuestion& request);
  void set_url();
  void set_method();
  void set_headers();
  void append_header(const char* line);
  std::uint16_t status() const;
  HttpExchange& end(HttpExchange::State state);
  bool was_sent() const { return exchange_->sent_us != 0; }

  static std::size_t on_header(char* line, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static int on_ready_to_send(void* self, char*, char*, int, int);
  static curl_socket_t on_open(void* self, curlsocktype, curl_sockaddr* address);

  const HttpSettings& settings_;
  CURL* easy_;
  CURLU* url_ = nullptr;
  curl_slist* headers_ = nullptr;
  HttpQuestion request_;
  HttpExchange* exchange_ = nullptr;
  std::int64_t begun_us_ = 0;
  bool response_begun_ = false;
  bool header_complete_ = false;
  bool keeps_line_ = false;       // the last line of the header
  bool refused_address_ = false;  // HttpSettings::may_connect refused it
  char error_[CURL_ERROR_SIZE] = {};
};

// Why an HTTP exchange failed, as text for a message: from libcurl's code, made more specific where
// that helps the reader to act. Pure.

// `code` is a CURLcode. `detail` is the text in libcurl's error buffer; it may quote the peer, so
// it is escaped. `os_error` is an errno or 0.
std::string http_problem(int code, std::string_view detail, int os_error);

}  // namespace rlctl
