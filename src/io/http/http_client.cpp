#include "io/http/http_client.h"

#include <algorithm>
#include <utility>

#include "io/http/curl_client.h"
#include "io/http/h2_client.h"
#include "io/http/own_client.h"
#include "io/latch.h"

namespace rlctl {

std::unique_ptr<HttpClient> make_http_client(Loop& loop, const HttpSettings& settings) {
  if (settings.engine_used() == HttpEngine::curl)
    return std::make_unique<CurlClient>(loop, settings);
  if (settings.http2) return std::make_unique<H2Client>(loop, settings);
  return std::make_unique<OwnClient>(loop, settings);
}

struct HttpPool::Opening {
  std::shared_ptr<const HttpPlace> place;
  std::size_t first_user;
  std::size_t users;
  std::size_t wanted;
  std::size_t begun = 0;
  std::size_t at_work = 0;  // coroutines
  Latch ended;
};

// One after the other; several of this work side by side.
Task<> HttpPool::open_some(Opening& opening) {
  while (opening.begun < opening.wanted) {
    const std::size_t user = opening.first_user + opening.begun++ * opening.users / opening.wanted;
    HttpClient& client = *clients_[user / kUsersPerClient];
    if (!co_await client.connect(opening.place)) opening.wanted = 0;
  }
  if (--opening.at_work == 0) opening.ended.open();
}

Task<> HttpPool::prepare(std::shared_ptr<const HttpPlace> place, std::size_t connections) {
  // Small enough for the server's listen queue, large enough that 3,000 are quick.
  constexpr std::size_t kAtOnce = 100;
  const std::size_t first = std::exchange(prepared_users_, users_);
  if (users_ == first || connections == 0) co_return;
  Opening opening{std::move(place), first, users_ - first,
                  connections,      0,     std::min(connections, kAtOnce),
                  Latch(loop_)};
  for (std::size_t i = opening.at_work; i > 0; --i) loop_.spawn(open_some(opening));
  co_await opening.ended.opened();
}

}  // namespace rlctl
