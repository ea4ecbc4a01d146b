// A real nginx for a test, on a free port of 127.0.0.1; all its files are in a temporary folder. It
// ends with the test. Needs no root. Throws std::runtime_error if it does not start.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "tools/folder.h"

namespace rlctl::test {

class Nginx {
 public:
  // `http_block` stands inside of `http { }`; PORT in it becomes the port, FOLDER the folder, which
  // has an index.html ("return 200" would answer before limit_req is asked).
  explicit Nginx(const std::string& http_block);
  ~Nginx();
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  std::string url(const std::string& scheme = "http") const;
  std::uint16_t port() const { return port_; }
  const Folder& folder() const { return folder_; }

 private:
  bool start(const std::string& http_block);
  bool answers() const;

  Folder folder_;
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

// A self-signed certificate for this name (DNS:… or IP:…): cert.pem and key.pem in `folder`.
void make_certificate(const Folder& folder, const std::string& name);

}  // namespace rlctl::test
