// HttpPool: the HttpClients of a run, one for each 50 users (http_client.h says why).
//
// Owns the clients and the settings; the loop must outlive it. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "io/http/http_client.h"

namespace rlctl {

class HttpPool {
 public:
  HttpPool(Loop& loop, HttpSettings settings) : loop_(loop), settings_(std::move(settings)) {}
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  // The client for one more user. The reference stays valid.
  HttpClient& client_for_user() {
    constexpr std::size_t kUsersPerClient = 50;
    if (users_++ % kUsersPerClient == 0)
      clients_.push_back(std::make_unique<HttpClient>(loop_, settings_));
    return *clients_.back();
  }

 private:
  Loop& loop_;
  const HttpSettings settings_;
  std::size_t users_ = 0;
  std::vector<std::unique_ptr<HttpClient>> clients_;
};

}  // namespace rlctl
