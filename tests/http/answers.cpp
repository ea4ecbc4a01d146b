#include "http/answers.h"

#include <iterator>

namespace rlctl::test {
namespace {

using Answers = std::vector<Answer>;

std::string line(int status) { return "HTTP/1.1 " + std::to_string(status) + " Word\r\n"; }

// Everything after the status line: fields and body.
const std::vector<std::string>& messages() {
  static const std::vector<std::string> kMessages{
      "Content-Length: 5\r\n\r\nhello",
      "Content-Length: 0\r\n\r\n",
      "content-length:5\r\nX-A: b\r\n\r\nhello",
      "X-A: b\r\n\r\nup to the end",
      "\r\n",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "transfer-encoding: Chunked\r\n\r\n3;a=b\r\nhel\r\n002\r\nlo\r\n0\r\nX-T: 1\r\nX-U: "
      "2\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 99\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "X-A: one\r\n two\r\nContent-Length: 2\r\n\r\nok",
      "Connection: close\r\nContent-Length: 2\r\n\r\nok",
      "Retry-After: 7\r\nX-A: \t b \r\nX-A: c\r\nX-Empty:\r\nContent-Length: 2\r\n\r\nok",
  };
  return kMessages;
}

void add_valid(Answers& all) {
  for (const int status : {200, 204, 206, 301, 304, 429, 500, 999})
    for (const std::string& message : messages())
      for (const char* method : {"GET", "HEAD", "POST"})
        all.push_back({method, line(status) + message});
}

void add_interim(Answers& all) {
  for (const std::string& interim :
       {line(100) + "\r\n", line(103) + "Link: <a>\r\nX-A: early\r\n\r\n",
        line(100) + "\r\n" + line(102) + "\r\n" + line(103) + "X-A: z\r\n\r\n"})
    for (const std::string& message : messages()) {
      all.push_back({"GET", interim + line(200) + message});
      all.push_back({"HEAD", interim + line(429) + message});
    }
}

void add_cut(Answers& all) {
  const std::string whole[] = {
      line(200) + "X-A: b\r\nContent-Length: 10\r\n\r\n0123456789",
      line(429) + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n",
      line(103) + "\r\n" + line(200) + "Content-Length: 2\r\n\r\nok"};
  for (const std::string& bytes : whole)
    for (std::size_t size = 0; size < bytes.size(); ++size)
      // Of the last line of a chunked body, libcurl does not wait for the LF.
      all.push_back(
          {"GET", bytes.substr(0, size), &bytes == &whole[1] && size + 1 == bytes.size()});
}

void add_huge(Answers& all) {
  const std::string body(300'000, 'x');
  all.push_back({"GET", line(200) + "Content-Length: 300000\r\n\r\n" + body});
  all.push_back({"GET", line(200) + "\r\n" + body});
  all.push_back({"GET", line(200) + "Content-Length: 300001\r\n\r\n" + body});
  all.push_back(
      {"GET", line(200) + "Transfer-Encoding: chunked\r\n\r\n493e0\r\n" + body + "\r\n0\r\n\r\n"});
  std::string chunks;
  for (int i = 0; i < 20'000; ++i) chunks += "1\r\ny\r\n";
  all.push_back({"GET", line(200) + "Transfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n"});
  const std::string long_field = "X-Long: " + std::string(90'000, 'z') + "\r\n";
  all.push_back({"GET", line(200) + long_field + "Content-Length: 2\r\n\r\nok"});
  std::string many;
  for (int i = 0; i < 4'000; ++i) many += long_field.substr(0, 98) + "\r\n";
  all.push_back({"GET", line(200) + many + "Content-Length: 2\r\n\r\nok"});  // too long
  std::string kept;
  for (int i = 0; i < 40; ++i) kept += "X-A: " + std::to_string(i) + "\r\n";
  all.push_back({"GET", line(200) + kept + "Content-Length: 2\r\n\r\nok"});
}

// What some server might send, whatever the standard says.
void add_odd(Answers& all) {
  for (const char* bytes :
       {"HTTP/1.0 200 OK\r\n\r\nold", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
        "HTTP/1.1 200 OK\nX-A: b\r\n\nrest",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 \t \r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2zz\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
        "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX A: b\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX-A: \x01\x1b[2J\x80\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX-A: a\r\n\t\tb \r\n  c\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok"})
    all.push_back({"GET", bytes});
}

void add_malformed(Answers& all) {
  for (const char* bytes :
       {"",
        "\r\n",
        "+PONG\r\n",
        "SSH-2.0-OpenSSH\r\n",
        "<html>",
        "\x15\x03\x01",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.12 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n here: it is\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\nok",
        "HTTP/1.1 101 Change\r\n\r\nraw"})
    all.push_back({"GET", bytes});
  for (const char* bytes : {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
                            "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nok",
                            "HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\nok",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\n\r\nok",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nok"})
    all.push_back({"GET", bytes, true});
}

}  // namespace

std::vector<Answer> answers() {
  Answers all;
  for (const auto add : {add_valid, add_interim, add_cut, add_huge, add_odd, add_malformed})
    add(all);
  return all;
}

}  // namespace rlctl::test
