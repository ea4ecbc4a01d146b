#include "io/http/http_error.h"

#include <curl/curl.h>
#include <errno.h>

#include <system_error>

#include "base/escape.h"

namespace rlctl {
namespace {

std::string with_detail(std::string words, std::string_view detail) {
  if (!detail.empty()) words += ": " + escape_for_terminal(detail);
  return words;
}

std::string no_connection(std::string_view detail, int os_error) {
  if (os_error == ECONNREFUSED) return "connection refused";
  if (os_error != 0) return "no connection: " + std::generic_category().message(os_error);
  return with_detail("no connection", detail);
}

}  // namespace

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
    case CURLE_INTERFACE_FAILED:
      return with_detail("the source address is not usable", detail);
    default:
      return with_detail(curl_easy_strerror(static_cast<CURLcode>(code)), detail);
  }
}

}  // namespace rlctl
