#include "io/http/http_transfer.h"

#include <curl/curl.h>
#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <system_error>

#include "base/escape.h"
#include "base/text.h"
#include "io/clock.h"

namespace rlctl {
namespace {

// Each transfer under way has one buffer; a limiter's answer fits in it.
constexpr long kReadBufferBytes = 4 * 1024;

template <typename Value>
void set(CURL* easy, CURLoption option, Value value) {
  // If libcurl does not accept a value, the transfer ends with a code that says so.
  curl_easy_setopt(easy, option, value);
}

HeaderField split_line(std::string_view line) {
  const std::string_view name = take_until(line, ':');
  return {std::string(name), std::string(trimmed(line, kBlanksAndLineEnds))};
}

bool is_header(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         equals_ignoring_case(line.substr(0, name.size()), name);
}

std::string with_detail(std::string words, std::string_view detail) {
  if (!detail.empty()) words += ": " + escape_for_terminal(detail);
  return words;
}

std::string no_connection(std::string_view detail, int os_error) {
  if (os_error == ECONNREFUSED) return "connection refused";
  if (os_error != 0) return "no connection: " + std::generic_category().message(os_error);
  return with_detail("no connection", detail);
}

// Before the request left: with a proxy, nothing else was asked for a connection.
bool is_of_proxy(int code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_PROXY ||
         code == CURLE_PROXY || code == CURLE_RECV_ERROR;
}

}  // namespace

HttpTransfer::HttpTransfer(const HttpSettings& settings, curl_slist* resolve,
                           curl_closesocket_callback close_socket, void* sockets)
    : settings_(settings), easy_(curl_easy_init()) {
  if (easy_ == nullptr) throw std::bad_alloc();
  set_constants(resolve, close_socket, sockets);
  set_request(request_);
}

HttpTransfer::~HttpTransfer() {
  curl_easy_cleanup(easy_);
  curl_slist_free_all(headers_);
  curl_url_cleanup(url_);
}

HttpTransfer& HttpTransfer::of(CURL* easy) {
  char* self = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<HttpTransfer*>(self);
}

void HttpTransfer::set_constants(curl_slist* resolve, curl_closesocket_callback close_socket,
                                 void* sockets) {
  set(easy_, CURLOPT_PRIVATE, this);
  set(easy_, CURLOPT_ERRORBUFFER, error_);
  set(easy_, CURLOPT_NOSIGNAL, 1L);
  set(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy_, CURLOPT_BUFFERSIZE, kReadBufferBytes);
  set(easy_, CURLOPT_HEADERFUNCTION, &on_header);
  set(easy_, CURLOPT_HEADERDATA, this);
  set(easy_, CURLOPT_WRITEFUNCTION, &on_body);
  set(easy_, CURLOPT_WRITEDATA, this);
  set(easy_, CURLOPT_PREREQFUNCTION, &on_ready_to_send);
  set(easy_, CURLOPT_PREREQDATA, this);
  set(easy_, CURLOPT_OPENSOCKETFUNCTION, &on_open);
  set(easy_, CURLOPT_OPENSOCKETDATA, this);
  set(easy_, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  set(easy_, CURLOPT_CLOSESOCKETDATA, sockets);
  // Set even if empty: otherwise libcurl takes the proxies from the environment, and a test of an
  // internal limiter must not leave through a proxy that nobody asked for.
  set(easy_, CURLOPT_PROXY, settings_.proxy.c_str());
  set(easy_, CURLOPT_NOPROXY, "");
  set(easy_, CURLOPT_RESOLVE, resolve);
  // Names are resolved once per run. Otherwise libcurl checks all of them after each exchange.
  set(easy_, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
  const long version = settings_.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1;
  set(easy_, CURLOPT_HTTP_VERSION, version);
  set_tls();
}

void HttpTransfer::set_tls() {
  const TlsSettings& tls = settings_.tls;
  set(easy_, CURLOPT_SSL_VERIFYPEER, tls.insecure ? 0L : 1L);
  set(easy_, CURLOPT_SSL_VERIFYHOST, tls.insecure ? 0L : 2L);
  if (!tls.ca_file.empty()) set(easy_, CURLOPT_CAINFO, tls.ca_file.c_str());
  if (tls.cert_file.empty()) return;
  set(easy_, CURLOPT_SSLCERT, tls.cert_file.c_str());
  set(easy_, CURLOPT_SSLKEY, (tls.key_file.empty() ? tls.cert_file : tls.key_file).c_str());
}

void HttpTransfer::begin(HttpExchange& exchange, const HttpQuestion& request, std::int64_t now_us) {
  if (request != request_) set_request(request);
  exchange_ = &exchange;
  begun_us_ = now_us;
  response_begun_ = false;
  header_complete_ = false;
  refused_address_ = false;
  error_[0] = '\0';
}

void HttpTransfer::set_request(const HttpQuestion& request) {
  request_ = request;
  set_url();
  // Without the prefix "host!": with it, libcurl from 8.9 on (tried: 8.14) reuses a connection from
  // another source address, and all clients become one.
  const std::string& from = request_.source_ip;
  set(easy_, CURLOPT_INTERFACE, from.empty() ? nullptr : from.c_str());
  set_method();
  set_headers();
}

// If the URL is given as text, libcurl parses and rebuilds it for every request, a seventh of the
// total cost of a request. The text is set for libcurl's messages, and for a URL that it can't
// parse: then it reports that.
void HttpTransfer::set_url() {
  set(easy_, CURLOPT_URL, request_.url.c_str());
  if (url_ == nullptr && (url_ = curl_url()) == nullptr) throw std::bad_alloc();
  const CURLUcode parsed = curl_url_set(url_, CURLUPART_URL, request_.url.c_str(), 0);
  set(easy_, CURLOPT_CURLU, parsed == CURLUE_OK ? url_ : nullptr);
}

void HttpTransfer::set_method() {
  set(easy_, CURLOPT_HTTPGET, 1L);
  set(easy_, CURLOPT_NOBODY, request_.method == "HEAD" ? 1L : 0L);
  if (!request_.body.empty() || request_.method == "POST") {
    // Not copied: request_ keeps it until the next request.
    set(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(easy_, CURLOPT_POSTFIELDS, request_.body.data());
  }
  const bool plain =
      request_.method == "HEAD" || (request_.method == "GET" && request_.body.empty());
  set(easy_, CURLOPT_CUSTOMREQUEST, plain ? nullptr : request_.method.c_str());
}

void HttpTransfer::set_headers() {
  curl_slist_free_all(headers_);
  headers_ = nullptr;
  const auto has = [&](std::string_view name) {
    return std::any_of(request_.headers.begin(), request_.headers.end(),
                       [&](const std::string& line) { return is_header(line, name); });
  };
  // Set here, since CURLOPT_USERAGENT is formatted again for every request.
  if (!has("user-agent")) append_header("User-Agent: rlctl");
  // No Accept field means that everything is accepted (RFC 9110, section 12.5.1), and each byte of
  // a request costs time.
  if (!has("accept")) append_header("Accept:");
  // Do not wait a second for "100 Continue".
  if (!request_.body.empty()) append_header("Expect:");
  for (const std::string& header : request_.headers) append_header(header.c_str());
  set(easy_, CURLOPT_HTTPHEADER, headers_);
}

void HttpTransfer::append_header(const char* line) {
  curl_slist* longer = curl_slist_append(headers_, line);
  if (longer == nullptr) throw std::bad_alloc();
  headers_ = longer;
}

std::uint16_t HttpTransfer::status() const {
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<std::uint16_t>(std::clamp(status, 0L, 999L));
}

HttpExchange& HttpTransfer::end(HttpExchange::State state) {
  HttpExchange& exchange = *std::exchange(exchange_, nullptr);
  // Before a response begins, libcurl still reports the status of the one before.
  if (response_begun_) exchange.status = status();
  exchange.state = state;
  return exchange;
}

HttpExchange& HttpTransfer::finish(CURLcode result, std::int64_t received_us) {
  using State = HttpExchange::State;
  if (result == CURLE_OK && header_complete_) {
    exchange_->received_us = received_us;
    return end(State::replied);
  }
  if (result == CURLE_OK) {
    // If a connection ends within the header, libcurl reports a complete response.
    exchange_->problem = http_problem(CURLE_PARTIAL_FILE, "", 0);
  } else if (refused_address_) {
    exchange_->problem = "the host name now resolves to an address that may not be tested";
  } else if (result == CURLE_ABORTED_BY_CALLBACK) {
    exchange_->problem = http_problem(CURLE_GOT_NOTHING, "", 0);  // see on_ready_to_send
  } else {
    long os_error = 0;
    curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &os_error);
    exchange_->problem = http_problem(result, error_, static_cast<int>(os_error));
    if (!settings_.proxy.empty() && !was_sent() && is_of_proxy(result))
      exchange_->problem =
          "the proxy " + without_secrets(settings_.proxy) + ": " + exchange_->problem;
  }
  return end(was_sent() ? State::lost : State::not_sent);
}

HttpExchange& HttpTransfer::give_up(const std::string& problem_before,
                                    const std::string& problem_after) {
  exchange_->problem = was_sent() ? problem_after : problem_before;
  return end(was_sent() ? HttpExchange::State::lost : HttpExchange::State::not_sent);
}

std::size_t HttpTransfer::on_header(char* line, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  const std::string_view text(line, size * count);
  std::vector<HeaderField>& fields = transfer.exchange_->fields;
  if (text.starts_with("HTTP/")) {
    // The first line of a response, or of the final response after interim ones (100, 103).
    transfer.response_begun_ = true;
    transfer.header_complete_ = false;
    transfer.keeps_line_ = false;
    fields.clear();
  } else if (text == "\r\n" || text == "\n") {
    transfer.header_complete_ = transfer.status() >= 200;
  } else if (kBlanks.find(text.front()) != kBlanks.npos) {
    // A folded line goes on with the field before it.
    if (transfer.keeps_line_) {
      std::string& value = fields.back().value;
      value.append(" ").append(trimmed(text, kBlanksAndLineEnds));
      value = trimmed(value);
    }
  } else {
    const std::string_view name = text.substr(0, text.find(':'));
    transfer.keeps_line_ = !transfer.header_complete_ && fields.size() < kMostKeptFields &&
                           transfer.settings_.keeps_field(name);
    if (transfer.keeps_line_) fields.push_back(split_line(text));
  }
  return text.size();
}

std::size_t HttpTransfer::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  std::string& kept = transfer.exchange_->body;
  const std::size_t room = transfer.settings_.kept_body_bytes - kept.size();
  kept.append(bytes, std::min(room, size * count));
  return size * count;
}

int HttpTransfer::on_ready_to_send(void* self, char*, char*, int, int) {
  HttpExchange& exchange = *static_cast<HttpTransfer*>(self)->exchange_;
  // Called a second time: the kept connection broke without an answer, and libcurl is about to
  // repeat the request on a new one. The first request may have been executed, so there would be
  // two.
  if (exchange.sent_us != 0) return CURL_PREREQFUNC_ABORT;
  exchange.sent_us = now_us();
  return CURL_PREREQFUNC_OK;
}

curl_socket_t HttpTransfer::on_open(void* self, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  if (transfer.settings_.may_connect && !transfer.settings_.may_connect(address->addr)) {
    transfer.refused_address_ = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::string http_problem(int code, std::string_view detail, int os_error) {
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      return no_connection(detail, os_error);
    case CURLE_GOT_NOTHING:
      return "the server closed the connection without a reply";
    case CURLE_PARTIAL_FILE:
      return "the reply was cut short";
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      if (os_error == ECONNRESET || detail.find("reset by peer") != std::string_view::npos)
        return "the server reset the connection";
      return with_detail("the connection broke", detail);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return with_detail("the reply is not valid HTTP", detail);
    case CURLE_PEER_FAILED_VERIFICATION:
      return with_detail("the server's certificate is not trusted", detail);
    case CURLE_SSL_CACERT_BADFILE:
      return with_detail(
          "the server's certificate is not trusted: the list of trusted authorities can't be read "
          "(apt install ca-certificates)",
          detail);
    case CURLE_SSL_CONNECT_ERROR:
      if (detail.find("wrong version number") != std::string_view::npos)
        return "this port does not speak TLS";
      return with_detail("the TLS handshake failed", detail);
    case CURLE_INTERFACE_FAILED:
      return with_detail("the source address is not usable", detail);
    default:
      return with_detail(curl_easy_strerror(static_cast<CURLcode>(code)), detail);
  }
}

}  // namespace rlctl
