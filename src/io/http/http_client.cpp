#include "io/http/http_client.h"

#include "io/http/curl_client.h"
#include "io/http/h2_client.h"
#include "io/http/own_client.h"

namespace rlctl {

std::unique_ptr<HttpClient> make_http_client(Loop& loop, const HttpSettings& settings) {
  if (settings.engine_used() == HttpEngine::curl)
    return std::make_unique<CurlClient>(loop, settings);
  if (settings.http2) return std::make_unique<H2Client>(loop, settings);
  return std::make_unique<OwnClient>(loop, settings);
}

}  // namespace rlctl
