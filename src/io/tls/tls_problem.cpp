#include "io/tls/tls_problem.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/escape.h"
#include "base/host_address.h"

namespace rlctl {
namespace {

struct TlsAdvice {
  int reason;
  const char* what;
  const char* hint;
};

constexpr const char* kOwnCertificate = "give --cert FILE and --cert-key FILE";
constexpr const char* kOtherCertificate =
    "give one that its tls-ca-cert-file has signed, with --cert FILE and --cert-key FILE";

// Alerts are what the server says about us; the others are what we say about its bytes.
constexpr TlsAdvice kTlsAdvice[] = {
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, "the server wants a client certificate",
     kOwnCertificate},
    {SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, "the server refused the TLS handshake",
     "does it want a client certificate? give --cert FILE and --cert-key FILE; its log says more"},
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA, "the server does not trust the client certificate",
     kOtherCertificate},
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, "the server refused the client certificate",
     kOtherCertificate},
    {SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, "the server refused the client certificate",
     kOtherCertificate},
    {SSL_R_TLSV1_ALERT_DECRYPT_ERROR,
     "the server could not verify a signature of the client certificate", kOtherCertificate},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "the server says that the client certificate expired",
     "give a new one with --cert FILE and --cert-key FILE"},
    {SSL_R_TLSV1_UNRECOGNIZED_NAME, "the server does not know the name that was asked for",
     "give one of its names with --sni NAME"},
    {SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL, "the server does not offer HTTP/2",
     "use HTTP/1.1: remove --http2"},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, "the server speaks no TLS version from 1.2 on",
     "allow TLSv1.2 or TLSv1.3 in its tls-protocols"},
    {SSL_R_UNSUPPORTED_PROTOCOL, "the server speaks no TLS version from 1.2 on",
     "allow TLSv1.2 or TLSv1.3 in its tls-protocols"},
    {SSL_R_WRONG_VERSION_NUMBER, "this port does not speak TLS",
     "use redis:// without --tls, or the server's tls-port"},
};

// Names from the certificate: at most this many are shown.
constexpr std::size_t kMostNames = 4;

std::string text_of(const ASN1_STRING* text) {
  const auto* bytes = reinterpret_cast<const char*>(ASN1_STRING_get0_data(text));
  return {bytes, static_cast<std::size_t>(ASN1_STRING_length(text))};
}

std::string address_of(const ASN1_STRING* bytes) {
  const std::span data(ASN1_STRING_get0_data(bytes),
                       static_cast<std::size_t>(ASN1_STRING_length(bytes)));
  if (data.size() == 4) return format_host_address(host_address_v4(data.first<4>()));
  if (data.size() == 16) return format_host_address(host_address_v6(data.first<16>()));
  return "an address of unknown form";
}

std::string common_name(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return "";
  return text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

// DNS names and addresses; without any, the common name.
std::vector<std::string> names_of(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> all(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  std::vector<std::string> names;
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type == GEN_DNS) names.push_back(text_of(name->d.dNSName));
    if (name->type == GEN_IPADD) names.push_back(address_of(name->d.iPAddress));
  }
  if (names.empty()) names.push_back(common_name(certificate));
  if (names.front().empty()) names.front() = "no name";
  return names;
}

std::string shown(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i)
    text += (i == 0 ? "" : ", ") + escape_for_terminal(names[i]);
  if (names.size() > kMostNames)
    text += " and " + std::to_string(names.size() - kMostNames) + " more";
  return text;
}

std::string day_of(const ASN1_TIME* time) {
  tm fields{};
  char text[32] = "an unknown day";
  if (ASN1_TIME_to_tm(time, &fields) == 1) strftime(text, sizeof text, "%Y-%m-%d", &fields);
  return text;
}

}  // namespace

TlsProblem certificate_problem(x509_store_ctx_st* chain, const std::string& name) {
  const X509* certificate = X509_STORE_CTX_get_current_cert(chain);
  const int error = X509_STORE_CTX_get_error(chain);
  switch (error) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return {"the certificate is for " + shown(names_of(certificate)) + ", not for " +
                  escape_for_terminal(name),
              "use a name of the certificate, in the URL or with --sni NAME"};
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return {"the certificate of " + shown(names_of(certificate)) + " expired on " +
                  day_of(X509_get0_notAfter(certificate)),
              "renew it, or check this machine's clock"};
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return {"the certificate of " + shown(names_of(certificate)) + " is valid only from " +
                  day_of(X509_get0_notBefore(certificate)),
              "check this machine's clock"};
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:  // another authority of the same name
      return {"nobody who is trusted has signed the server's certificate",
              "trust its signer with --cacert FILE"};
    default:
      return {std::string("the server's certificate is not valid: ") +
                  X509_verify_cert_error_string(error),
              "see its certificate with openssl s_client -connect HOST:PORT"};
  }
}

std::optional<TlsProblem> tls_problem(unsigned long error) {
  const int reason = ERR_GET_REASON(error);
  if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) return std::nullopt;
  for (const TlsAdvice& advice : kTlsAdvice)
    if (advice.reason == reason) return TlsProblem{advice.what, advice.hint};
  const char* words = ERR_reason_error_string(error);
  return TlsProblem{std::string("TLS failed: ") + (words != nullptr ? words : "unknown error"),
                    "the server's log says more"};
}

TlsProblem hung_up_in_handshake() {
  return {"the server closed the connection during the TLS handshake",
          "check that this port speaks TLS; the server's log says more"};
}

// A Redis without TLS looks for the end of a line up to the first NUL of our hello: it waits.
TlsProblem no_tls_answer(const std::string& within) {
  return {"no TLS answer within " + within,
          "a port without TLS may be silent like this: try redis://, without --tls; for a slow "
          "server use a longer --timeout"};
}

}  // namespace rlctl
