// The constant parts of an HTML report. The build puts them into the binary (html/embed.cmake),
// with the SHA-256 that the page's Content-Security-Policy uses to allow them. Static storage.
#pragma once

#include <string_view>

namespace rlctl {

struct HtmlAsset {
  std::string_view text;
  std::string_view sha256;  // 64 hexadecimal digits
};

HtmlAsset chart_library();  // Chart.js, from the Debian package libjs-chart.js
HtmlAsset chart_licence();
HtmlAsset report_script();
HtmlAsset report_style();

}  // namespace rlctl
