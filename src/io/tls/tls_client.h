// TlsClient: what all TLS connections to an address share: the trusted certificates, the client's
// own certificate, and per server the last session, which makes the next handshake cheaper.
//
// Reads its files when it is made: Error(Exit::usage) names the option. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "io/tls/tls_settings.h"

struct ssl_ctx_st;
struct ssl_session_st;

namespace rlctl {

class TlsClient {
 public:
  explicit TlsClient(TlsSettings settings = {});
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  const TlsSettings& settings() const { return settings_; }
  ssl_ctx_st* context() const { return context_.get(); }

  // The last session with this server and this name, or null. A resumed session proves no name
  // anew, so it never serves for another.
  ssl_session_st* session(const std::string& server) const;
  void keep(const std::string& server, ssl_session_st* owned);

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
    void operator()(ssl_session_st* session) const;
  };

  void trust();
  void identify();

  TlsSettings settings_;
  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::map<std::string, std::unique_ptr<ssl_session_st, Free>> sessions_;
};

}  // namespace rlctl
