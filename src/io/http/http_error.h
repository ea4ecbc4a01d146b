// Why an HTTP exchange failed, as text for a message: from libcurl's code, made more specific where
// that helps the reader to act. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// `code` is a CURLcode. `detail` is the text in libcurl's error buffer; it may quote the peer, so
// it is escaped. `os_error` is an errno or 0.
std::string http_problem(int code, std::string_view detail, int os_error);

}  // namespace rlctl
