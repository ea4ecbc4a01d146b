// Why an HTTP exchange failed, in words for a message: libcurl's code, made specific where that
// tells the reader what to do. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// `code` is a CURLcode, `detail` what libcurl wrote to its error buffer (it may quote the peer, so
// it is escaped), `os_error` an errno or 0.
std::string http_problem(int code, std::string_view detail, int os_error);

}  // namespace rlctl
