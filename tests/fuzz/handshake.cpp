#include "handshake.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include "io/descriptor.h"
#include "io/tls/tls_client.h"
#include "io/tls/tls_session.h"
#include "tools/test_authority.h"

using namespace rlctl;

namespace {

constexpr std::size_t kMostFlips = 4;
constexpr int kMostSteps = 100;

void expect(bool right, const char* what) {
  if (!right) throw std::logic_error(what);
}

unsigned take_byte(std::string_view& bytes) {
  if (bytes.empty()) return 0;
  const auto byte = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  return byte;
}

unsigned take_number(std::string_view& bytes) {
  const unsigned high = take_byte(bytes);
  return high << 8 | take_byte(bytes);
}

// What becomes of the server's bytes.
class Way {
 public:
  explicit Way(std::string_view bytes) {
    end_ = take_number(bytes);
    for (Flip& flip : flips_) flip = {take_number(bytes), take_byte(bytes)};
    after_ = bytes;
  }

  // What arrives of the next bytes; `ended` once nothing more does.
  std::string carry(std::string sent, bool& ended) {
    for (const Flip& flip : flips_)
      if (flip.at >= passed_ && flip.at - passed_ < sent.size())
        sent[flip.at - passed_] ^= static_cast<char>(flip.bits);
    passed_ += sent.size();
    ended = passed_ >= end_;
    if (ended) sent = sent.substr(0, sent.size() - (passed_ - end_)) + after_;
    return sent;
  }

 private:
  struct Flip {
    std::size_t at = 0;
    unsigned bits = 0;
  };
  std::size_t end_ = 0;
  std::size_t passed_ = 0;
  std::array<Flip, kMostFlips> flips_;
  std::string after_;
};

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

// Made once: an authority and what the client and the server keep.
struct Parties {
  test::TestAuthority authority;
  std::shared_ptr<TlsClient> trusting =
      std::make_shared<TlsClient>(TlsSettings{.ca_file = authority.file()});
  std::shared_ptr<TlsClient> careless = std::make_shared<TlsClient>(TlsSettings{.insecure = true});
  std::unique_ptr<SSL_CTX, FreeContext> server{SSL_CTX_new(TLS_server_method())};

  Parties() {
    const test::IssuedFiles files = authority.issue("IP:127.0.0.1");
    SSL_CTX_use_certificate_chain_file(server.get(), files.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(server.get(), files.key.c_str(), SSL_FILETYPE_PEM);
  }
};

// A server that speaks through memory.
class Server {
 public:
  explicit Server(SSL_CTX* context) : ssl_(SSL_new(context)) {
    SSL_set_bio(ssl_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(ssl_);
  }
  ~Server() { SSL_free(ssl_); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string answer(const std::string& heard) {
    BIO_write(SSL_get_rbio(ssl_), heard.data(), static_cast<int>(heard.size()));
    const bool agreed = SSL_do_handshake(ssl_) == 1;
    if (agreed && !std::exchange(greeted_, true)) SSL_write(ssl_, "hello", 5);
    ERR_clear_error();
    std::string said(BIO_ctrl_pending(SSL_get_wbio(ssl_)), '\0');
    BIO_read(SSL_get_wbio(ssl_), said.data(), static_cast<int>(said.size()));
    return said;
  }

 private:
  SSL* ssl_;
  bool greeted_ = false;
};

std::string all_from(int socket) {
  std::string all;
  std::array<char, 4096> part;
  for (ssize_t got = 0; (got = ::read(socket, part.data(), part.size())) > 0;)
    all.append(part.data(), static_cast<std::size_t>(got));
  return all;
}

bool agrees(TlsSession& session, Server& server, Way& way, int peer) {
  bool ended = false;
  for (int step = 0; step < kMostSteps; ++step) {
    const ssize_t result = session.agree();
    if (result == 1) return true;
    if (result == 0 || errno != EAGAIN) return false;
    const std::string heard = all_from(peer);
    if (ended) continue;
    const std::string arrived = way.carry(server.answer(heard), ended);
    expect(::write(peer, arrived.data(), arrived.size()) >= 0, "the client hears");
    if (ended || heard.empty()) ::shutdown(peer, SHUT_WR);
    ended = ended || heard.empty();
  }
  throw std::logic_error("a handshake that is cut ends");
}

}  // namespace

void read_handshake(std::string_view bytes) {
  static const Parties parties;
  const bool careless = take_byte(bytes) % 2 == 1;
  Way way(bytes);
  std::array<int, 2> pair{};
  expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) == 0,
         "there are sockets");
  const Descriptor ours(pair[0]), theirs(pair[1]);
  Server server(parties.server.get());
  TlsSession session(careless ? parties.careless : parties.trusting,
                     {.name = "127.0.0.1:6379", .host = "127.0.0.1"}, pair[0]);
  const bool agreed = agrees(session, server, way, pair[1]);
  if (session.problem()) expect(session.error().exit() == Exit::target, "it is the server's fault");
  std::array<char, 64> part;
  for (int i = 0; i < kMostSteps; ++i) {
    const ssize_t got = session.read(part.data(), part.size());
    if (got <= 0) return;
    expect(agreed, "nothing is heard before both have agreed");
    expect(std::string_view(part.data(), static_cast<std::size_t>(got)) == "hello",
           "what is heard is what was said");
  }
}
