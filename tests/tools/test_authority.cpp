#include "tools/test_authority.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace rlctl::test {
namespace {

constexpr long kDay = 24 * 60 * 60;

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL makes no certificate");
}

void add_name(X509* certificate, const std::string& name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* bytes = reinterpret_cast<const unsigned char*>(name.data());
  require(X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, bytes,
                                     static_cast<int>(name.size()), -1, 0) == 1);
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  require(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

template <typename Write>
void write_pem(const std::string& path, Write write) {
  BIO* file = BIO_new_file(path.c_str(), "w");
  require(file != nullptr);
  const int written = write(file);
  BIO_free(file);
  require(written == 1);
}

}  // namespace

void TestAuthority::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }
void TestAuthority::Free::operator()(x509_st* certificate) const { X509_free(certificate); }

TestAuthority::TestAuthority() : key_(EVP_EC_gen("P-256")) {
  own_ = certificate_for(key_, "", 2);
  write_pem(file(), [this](BIO* out) { return PEM_write_bio_X509(out, own_.get()); });
}

TestAuthority::Certificate TestAuthority::certificate_for(const Key& key, const std::string& names,
                                                          long days) const {
  Certificate certificate(X509_new());
  X509* raw = certificate.get();
  X509_set_version(raw, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(raw), ++serial_);
  X509_gmtime_adj(X509_getm_notBefore(raw), std::min(days, 0L) * kDay - kDay);
  X509_gmtime_adj(X509_getm_notAfter(raw), days * kDay);
  add_name(raw, names.empty() ? "test authority" : "issued by the test");
  X509_set_issuer_name(raw, X509_get_subject_name(own_ ? own_.get() : raw));
  X509_set_pubkey(raw, key.get());
  if (names.empty())
    add_extension(raw, NID_basic_constraints, "critical,CA:TRUE");
  else
    add_extension(raw, NID_subject_alt_name, names);
  require(X509_sign(raw, key_.get(), EVP_sha256()) > 0);
  return certificate;
}

IssuedFiles TestAuthority::issue(const std::string& names, long days) const {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = certificate_for(key, names, days);
  const std::string stem = folder_ / std::to_string(serial_);
  const IssuedFiles files{stem + ".crt", stem + ".key"};
  write_pem(files.certificate,
            [&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); });
  write_pem(files.key, [&](BIO* out) {
    return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return files;
}

}  // namespace rlctl::test
