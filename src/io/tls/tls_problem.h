// Why TLS with a server failed, in words: its certificate, its alerts, or no TLS at all. Text of
// the server is escaped.
#pragma once

#include <optional>
#include <string>

struct x509_store_ctx_st;

namespace rlctl {

struct TlsProblem {
  std::string what;
  std::string hint;
  bool untrusted = false;  // it is the server's certificate
};

// A certificate of the chain that was refused; `name` is the one that was wanted.
TlsProblem certificate_problem(x509_store_ctx_st* chain, const std::string& name);

// From an error of OpenSSL's queue; empty if the peer only hung up.
std::optional<TlsProblem> tls_problem(unsigned long error);

TlsProblem hung_up_in_handshake();
TlsProblem no_tls_answer(const std::string& within);

}  // namespace rlctl
