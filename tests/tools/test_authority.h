// A certificate authority for a test, with its files in a temporary folder. Throws
// std::runtime_error if OpenSSL refuses.
#pragma once

#include <memory>
#include <string>

#include "tools/folder.h"

struct evp_pkey_st;
struct x509_st;

namespace rlctl::test {

struct IssuedFiles {
  std::string certificate;
  std::string key;
};

class TestAuthority {
 public:
  TestAuthority();

  std::string file() const { return folder_ / "ca.pem"; }
  // A certificate for these names ("DNS:a.example,IP:127.0.0.1") that is valid from yesterday until
  // this many days from now.
  IssuedFiles issue(const std::string& names, long days = 2) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
    void operator()(x509_st* certificate) const;
  };
  using Key = std::unique_ptr<evp_pkey_st, Free>;
  using Certificate = std::unique_ptr<x509_st, Free>;

  Certificate certificate_for(const Key& key, const std::string& names, long days) const;

  Folder folder_;
  Key key_;
  Certificate own_;
  mutable long serial_ = 0;
};

}  // namespace rlctl::test
