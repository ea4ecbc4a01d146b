// Both engines send the same requests and make the same of every answer.
#include <curl/curl.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "http/answers.h"
#include "http/peer.h"
#include "io/http/http_client.h"
#include "tools/random_history.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// Since then libcurl refuses more, as what contradicts itself, and leaves out the "?" of an empty
// query.
bool is_strict_curl() { return curl_version_info(CURLVERSION_NOW)->version_num >= 0x080000; }

HttpSettings patient(HttpEngine engine) {
  HttpSettings settings;
  settings.engine = engine;
  settings.timeout_us = 20'000'000;
  settings.kept_body_bytes = 1'000'000;
  settings.keeps_field = [](std::string_view name) { return name == "X-A"; };
  return settings;
}

Task<> ask_each(HttpClient& client, const std::vector<HttpQuestion>& questions,
                std::vector<HttpExchange>& exchanges) {
  for (const HttpQuestion& question : questions)
    exchanges.push_back(co_await client.send(question));
}

std::vector<HttpExchange> ask_all(HttpEngine engine, const std::vector<HttpQuestion>& questions) {
  const HttpSettings settings = patient(engine);
  Loop loop;
  const auto client = make_http_client(loop, settings);
  std::vector<HttpExchange> exchanges;
  loop.run(ask_each(*client, questions, exchanges));
  return exchanges;
}

std::string told(const HttpExchange& exchange) {
  const bool replied = exchange.state == HttpExchange::State::replied;
  std::string text = replied ? "replied " : "lost ";
  text += std::to_string(exchange.status);
  if (!replied) return text;
  for (const HeaderField& field : exchange.fields) text += "|" + field.name + "=" + field.value;
  return text + "|" + std::to_string(exchange.body.size()) + "|" + exchange.body.substr(0, 100);
}

// Some bytes changed, taken away, or repeated elsewhere.
std::string mutated(std::string bytes, std::mt19937_64& random) {
  static constexpr std::string_view kTelling[] = {
      "\r\n", "\n", "\r", ":", " ", "0", "-", ";", "f", "\t", "HTTP/1.1 ", "Content-Length: 3\r\n"};
  for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = random() % (bytes.size() + 1);
    const std::size_t length = random() % 20;
    if (random() % 2 == 0)
      bytes.insert(at, kTelling[random() % std::size(kTelling)]);
    else if (random() % 2 == 0)
      bytes.erase(at, length);
    else
      bytes.insert(random() % (bytes.size() + 1), bytes.substr(at, length));
  }
  return bytes;
}

// What the server got for the questions, one after the other.
std::vector<std::string> requests_of(HttpEngine engine, const std::vector<HttpQuestion>& asked,
                                     const Peer& peer, std::vector<std::string>& seen) {
  std::vector<HttpQuestion> questions = asked;
  for (HttpQuestion& question : questions) question.url = peer.url(question.url);
  for (const HttpExchange& exchange : ask_all(engine, questions))
    CHECK(exchange.state == HttpExchange::State::replied);
  return std::exchange(seen, {});
}

// Sends the answer whose number is the path, and hangs up.
Peer::Behaviour answering(const std::vector<Answer>& all) {
  return [&all](PeerConnection& connection) {
    if (!connection.read_request()) return;
    const std::string& request = connection.request();
    connection.write(all.at(std::stoul(request.substr(request.find('/') + 1))).bytes);
  };
}

}  // namespace

TEST_CASE("both engines tell 500 answers alike") {
  const std::vector<Answer> all = answers();
  REQUIRE(all.size() >= 500);
  const Peer peer(answering(all));
  std::vector<HttpQuestion> questions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    questions.emplace_back();
    questions.back().url = peer.url("/" + std::to_string(i));
    questions.back().method = all[i].method;
  }
  // Each on its own connection: what closes it after one answer closes it before the next request.
  std::vector<HttpExchange> own;
  std::vector<HttpExchange> curl;
  for (const HttpQuestion& question : questions) {
    own.push_back(ask_all(HttpEngine::own, {question}).front());
    curl.push_back(ask_all(HttpEngine::curl, {question}).front());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].method << " " << in_quotes(all[i].bytes, 200));
    INFO("own: " << own[i].problem << "; curl: " << curl[i].problem);
    if (all[i].only_curl) {
      CHECK(own[i].state == HttpExchange::State::lost);
      if (!is_strict_curl()) CHECK(curl[i].state == HttpExchange::State::replied);
    } else {
      CHECK(escape_for_terminal(told(own[i])) == escape_for_terminal(told(curl[i])));
      CHECK((own[i].received_us != 0) == (curl[i].received_us != 0));
    }
  }
}

namespace {

bool is_reply(const HttpExchange& exchange) {
  return exchange.state == HttpExchange::State::replied;
}

// A CR that is not followed by LF.
bool has_bare_cr(std::string_view bytes) {
  for (std::size_t at = bytes.find('\r'); at != bytes.npos; at = bytes.find('\r', at + 1))
    if (!bytes.substr(at + 1).starts_with('\n')) return true;
  return false;
}

bool has_folded_line(std::string_view bytes) {
  return bytes.find("\n ") != bytes.npos || bytes.find("\n\t") != bytes.npos;
}

bool has_chunks(std::string_view bytes) { return bytes.find("hunked") != bytes.npos; }

// libcurl takes a field whose name begins with HTTP/ for another status line, and forgets the
// fields before it; and it reads lengths and codings from the first line of a folded one.
bool is_beyond_comparison(std::string_view bytes) {
  std::string before;
  while (!bytes.empty()) {
    const std::string line = lower_case(take_until(bytes, '\n'));
    if (line.starts_with("http/") && line.find(':') != line.npos) return true;
    const bool goes_on = line.starts_with(' ') || line.starts_with('\t');
    if (goes_on && (before.starts_with("content-length") || before.starts_with("transfer-enc")))
      return true;
    before = line;
  }
  return false;
}

// Answers that one engine takes and the other does not, on purpose.
struct KnownDifference {
  const char* reason;
  bool own_takes;
  std::string_view refusal;                       // by our words, if we do not take it
  bool (*has)(std::string_view bytes) = nullptr;  // null: nothing special
};
constexpr KnownDifference kKnownDifferences[] = {
    {"libcurl guesses what a first line means that is no status line", false, "it begins with "},
    {"libcurl 7 believes a length in part, or one of two", false, "it has 'content-length'"},
    {"libcurl 7 ignores a coding that it does not know", false, "it has 'transfer-encoding'"},
    {"libcurl ends a head at a line that begins with CR", false, "a header has no colon",
     has_bare_cr},
    {"libcurl ignores a CR after a chunk's size", false, "the reply was cut short", has_bare_cr},
    {"libcurl ignores what follows that CR", false, "its chunks are not valid", has_bare_cr},
    {"libcurl refuses a CR in a name, and in a line between chunks", true, {}, has_bare_cr},
    {"libcurl refuses a folded line before any field, and a folded length",
     true,
     {},
     has_folded_line},
    {"libcurl refuses trailers that it can't read; we skip them", true, {}, has_chunks},
};

bool is_known(const Answer& answer, const HttpExchange& own) {
  const std::string problem = lower_case(own.problem);
  return std::ranges::any_of(kKnownDifferences, [&](const KnownDifference& known) {
    return known.own_takes == is_reply(own) && problem.find(known.refusal) != problem.npos &&
           (known.has == nullptr || known.has(answer.bytes));
  });
}

}  // namespace

// RLCTL_MUTATIONS sets the number (300), RLCTL_SEED the seed (1).
TEST_CASE("both engines take the same changed answers, apart from known differences") {
  std::mt19937_64 random(static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1)));
  std::vector<Answer> all;
  for (const Answer& answer : answers())
    if (answer.bytes.size() < 1'000 && !answer.only_curl) all.push_back(answer);
  std::vector<Answer> changed;
  for (std::int64_t i = from_environment("RLCTL_MUTATIONS", 300); i > 0; --i) {
    const Answer& answer = all[random() % all.size()];
    changed.push_back({answer.method, mutated(answer.bytes, random)});
    if (is_beyond_comparison(changed.back().bytes)) changed.pop_back();
  }
  std::optional<Peer> peer;
  std::size_t both = 0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (i % 1'000 == 0) peer.emplace(answering(changed));  // it has a thread for each connection
    const HttpQuestion question{peer->url("/" + std::to_string(i)), changed[i].method};
    const HttpExchange own = ask_all(HttpEngine::own, {question}).front();
    const HttpExchange curl = ask_all(HttpEngine::curl, {question}).front();
    INFO(changed[i].method << " " << in_quotes(changed[i].bytes, 1'000));
    INFO("own: " << own.problem << "; curl: " << curl.problem);
    if (is_reply(own) && is_reply(curl)) {
      ++both;
      CHECK(escape_for_terminal(told(own)) == escape_for_terminal(told(curl)));
    } else if (is_reply(own) != is_reply(curl) && !(is_strict_curl() && is_reply(own))) {
      CHECK(is_known(changed[i], own));
    }
  }
  CHECK(both > changed.size() / 10);
}

TEST_CASE("both engines send the same bytes") {
  std::vector<std::string> seen;
  const Peer peer([&](PeerConnection& connection) {
    while (connection.read_request()) {
      seen.push_back(connection.request());
      if (!connection.write(response(200, "", ""))) return;
    }
  });
  std::vector<HttpQuestion> questions{
      {"/"},
      {""},
      {"?a=b"},
      {"/a/../b/./c?d=/../e#f"},
      {"/%41%2f%20?x=%ff"},
      {"/~u;p=1/[x]{y}|z\"'?q[]=1"},
      {"/p", "DELETE"},
      {"/p", "HEAD"},
      {"/p", "POST"},
      {"/p", "OPTIONS", "", {"X-Empty:", "X-Blank: ", "X-A: b", "x-a:c"}},
      {"/p", "GET", "", {"Host: example.org", "User-Agent:"}},
      {"/p", "GET", "", {"Authorization: Bearer x", "Accept: a/b", "Connection: close"}},
  };
  if (!is_strict_curl()) questions.push_back({"/a?"});
  const auto own = requests_of(HttpEngine::own, questions, peer, seen);
  const auto curl = requests_of(HttpEngine::curl, questions, peer, seen);
  REQUIRE(own.size() == questions.size());
  CHECK(own.size() == curl.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    CHECK(own[i] == curl.at(i));
  }
}

TEST_CASE("a server that hangs up without a word gets no request twice") {
  std::vector<std::string> seen;
  std::mutex mutex;
  const Peer peer([&](PeerConnection& connection) {
    if (!connection.read_request()) return;
    {
      const std::lock_guard lock(mutex);
      seen.push_back(connection.request());
    }
    connection.write(response(200));
  });
  std::vector<HttpQuestion> questions;
  for (int i = 0; i < 200; ++i) questions.push_back({peer.url("/" + std::to_string(i))});
  for (const HttpEngine engine : {HttpEngine::own, HttpEngine::curl}) {
    const std::vector<HttpExchange> exchanges = ask_all(engine, questions);
    const std::lock_guard lock(mutex);
    const auto replied = std::ranges::count(exchanges, HttpExchange::State::replied,
                                            [](const HttpExchange& one) { return one.state; });
    CHECK(replied > 0);
    CHECK(std::ssize(seen) >= replied);
    std::ranges::sort(seen);
    CHECK(std::ranges::adjacent_find(seen) == seen.end());
    seen.clear();
  }
}

TEST_CASE("a server that hangs up behind its answer gets no other request on that connection") {
  const Peer peer([](PeerConnection& connection) {
    if (!connection.read_request()) return;
    connection.write_last(response(200));
    connection.hang();
  });
  for (const HttpExchange& exchange :
       ask_all(HttpEngine::own, std::vector<HttpQuestion>(20, {peer.url()}))) {
    CHECK(exchange.state == HttpExchange::State::replied);
  }
  CHECK(peer.connections() == 20);
}

TEST_CASE("an answer of just the size of a read is whole, and its connection stays open") {
  std::size_t size = 0;
  const Peer peer([&](PeerConnection& connection) {
    while (connection.read_request())
      if (!connection.write(response(200, "", std::string(size, 'x')))) return;
  });
  const std::size_t rest = response(200, "", std::string(10'000, 'x')).size() - 10'000;
  for (const std::size_t read : {16 * 1024, 32 * 1024}) {
    size = read - rest;
    const int before = peer.connections();
    for (const HttpExchange& exchange :
         ask_all(HttpEngine::own, std::vector<HttpQuestion>(20, {peer.url()}))) {
      CHECK(exchange.state == HttpExchange::State::replied);
      CHECK(exchange.body.size() == size);
    }
    CHECK(peer.connections() == before + 1);
  }
}
