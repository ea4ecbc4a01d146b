#include "io/http/http_client.h"

#include "io/http/curl_client.h"
#include "io/http/own_client.h"

namespace rlctl {

std::unique_ptr<HttpClient> make_http_client(Loop& loop, const HttpSettings& settings) {
  if (settings.engine_used() == HttpEngine::curl)
    return std::make_unique<CurlClient>(loop, settings);
  return std::make_unique<OwnClient>(loop, settings);
}

}  // namespace rlctl
