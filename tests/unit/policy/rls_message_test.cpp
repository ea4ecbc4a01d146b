// The bytes are written by hand, from the description of the wire format (protobuf.dev, "Encoding")
// and the numbers of rls.proto.
#include "policy/rls_message.h"

#include <doctest/doctest.h>

#include <string>

using namespace rlctl;
using namespace std::string_literals;

namespace {

const std::vector<HeaderField> kWell{{"grpc-status", "0"}};

std::string framed(const std::string& message) {
  return "\0\0\0\0"s + static_cast<char>(message.size()) + message;
}

RlsAnswer answer_to(const std::string& message) { return read_rls_answer(kWell, framed(message)); }

std::string fault_of(const std::string& body) {
  const std::string problem = read_rls_answer(kWell, body).problem;
  const std::string beginning = "the answer is no RateLimitResponse: ";
  CHECK(problem.starts_with(beginning));
  CHECK_FALSE(read_rls_answer(kWell, body).is_ok);
  return problem.substr(std::min(problem.size(), beginning.size()));
}

std::string call_fails(const std::vector<HeaderField>& trailers) {
  const RlsAnswer answer = read_rls_answer(trailers, framed("\x08\x01"s));
  CHECK_FALSE(answer.is_ok);
  return answer.problem;
}

}  // namespace

TEST_CASE("a request has its domain, its descriptors in order, and its cost if it is not 1") {
  const std::vector<RlsDescriptor> user{{{"user", "ann"}, {"path", "/"}}};
  const std::string ann =
      "\x0A\x0B\x0A\x04user\x12\x03"
      "ann"s;
  const std::string path = "\x0A\x09\x0A\x04path\x12\x01/"s;
  const std::string message =
      "\x0A\x01"
      "d\x12\x18"s +
      ann + path;
  CHECK(rls_request("d", user, 1) == framed(message));
  CHECK(rls_request("d", user, 300) == framed(message + "\x18\xAC\x02"));
  const std::vector<RlsDescriptor> two{{{"a", "b"}}, {{"c", ""}}};
  CHECK(rls_request("", two, 1) == framed("\x0A\x00\x12\x08\x0A\x06\x0A\x01"
                                          "a\x12\x01"
                                          "b"
                                          "\x12\x07\x0A\x05\x0A\x01"
                                          "c\x12\x00"s));
}

TEST_CASE("a long value has a length of several bytes, and so has the message") {
  const std::vector<RlsDescriptor> one{{{"k", std::string(300, 'x')}}};
  const std::string text = rls_request("d", one, 1);
  // 1 + 2 + 300 of the value, 3 of the key, and 3 before each of the two messages around them.
  CHECK(text.substr(0, 5) == "\0\0\0\x01\x3B"s);
  CHECK(text.size() == 5 + 3 + 3 + 3 + 3 + 303);
  CHECK(text.substr(8, 3) == "\x12\xB5\x02"s);
}

TEST_CASE("OK and OVER_LIMIT are decisions, and anything else is none") {
  const RlsAnswer ok = answer_to("\x08\x01"s);
  CHECK(ok.problem == "");
  CHECK(ok.is_ok);
  CHECK(ok.fields.remaining() == -1);
  const RlsAnswer over = answer_to("\x08\x02"s);
  CHECK(over.problem == "");
  CHECK_FALSE(over.is_ok);
  CHECK(over.fields.wait_us() == kNoTime);
  CHECK(answer_to("").problem ==
        "the answer's code is UNKNOWN, which is neither OK nor OVER_LIMIT");
  CHECK(answer_to("\x08\x03"s).problem ==
        "the answer's code is 3, which is neither OK nor OVER_LIMIT");
  const std::string minus_one = "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s;
  CHECK(answer_to(minus_one).problem ==
        "the answer's code is -1, which is neither OK nor OVER_LIMIT");
}

TEST_CASE("the smallest number remains, and the longest reset of those that deny is the wait") {
  // { OVER_LIMIT, limit, 0 left, 90 s }, { OVER_LIMIT, limit, 2 left, 2.5 s }, { OK, 1 left, 900 s
  // }
  const RlsAnswer answer = answer_to(
      "\x08\x02"
      "\x12\x0A\x08\x02\x12\x02\x08\x05\x22\x02\x08\x5A"
      "\x12\x12\x08\x02\x12\x02\x08\x05\x18\x02\x22\x08\x08\x02\x10\x80\xCA\xB5\xEE\x01"
      "\x12\x0B\x08\x01\x12\x00\x18\x01\x22\x03\x08\x84\x07"s);
  CHECK(answer.problem == "");
  CHECK(answer.fields.limits.size() == 3);
  CHECK(answer.fields.remaining() == 0);
  CHECK(answer.fields.limits[1].reset_us == 2'500'000);
  CHECK(answer.fields.limits[2].reset_us == 900'000'000);
  CHECK(answer.fields.wait_us() == 90'000'000);
}

TEST_CASE("a descriptor without a limit does not say that nothing is left") {
  const RlsAnswer answer = answer_to("\x08\x01\x12\x02\x08\x01\x12\x06\x08\x01\x12\x00\x18\x07"s);
  CHECK(answer.fields.limits.size() == 1);
  CHECK(answer.fields.remaining() == 7);
}

TEST_CASE("fields that are not known are skipped, of every type") {
  const RlsAnswer answer = answer_to(
      "\x21"
      "12345678"
      "\x3D"
      "1234"
      "\x2A\x03raw"
      "\x50\x80\x01"
      "\x0A\x01x"
      "\x08\x01"
      "\x12\x0B\x10\x01\x19"
      "12345678"s);
  CHECK(answer.problem == "");
  CHECK(answer.is_ok);
  CHECK(answer.fields.limits.empty());
}

TEST_CASE("a reset that nobody can wait for is malformed") {
  for (const std::string& seconds :
       {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"s,
        "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s, "\x10\xFF\xFF\xFF\xFF\x0F"s}) {
    const std::string duration = "\x22"s + static_cast<char>(seconds.size()) + seconds;
    const RlsAnswer answer =
        answer_to("\x08\x02\x12"s + static_cast<char>(duration.size()) + duration);
    CHECK(answer.problem == "");
    CHECK(answer.fields.wait_us() == kNoTime);
    CHECK(answer.fields.malformed == std::vector<std::string>{"duration_until_reset"});
  }
}

TEST_CASE("what is no whole message has one fault") {
  CHECK(fault_of("") == "it is cut short");
  CHECK(fault_of("\0\0\0\0"s) == "it is cut short");
  CHECK(fault_of("\0\0\0\0\x02\x08"s) == "it is cut short");
  CHECK(fault_of("\0\xFF\xFF\xFF\xFF\x08\x01"s) == "it is cut short");
  CHECK(fault_of(framed("\x08\x01"s) + "x") == "more follows it");
  CHECK(fault_of("\x01\0\0\0\x02\x08\x01"s) == "it is compressed");
  CHECK(fault_of(framed("\x08"s)) == "it is cut short");
  CHECK(fault_of(framed("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"s)) ==
        "a number is longer than 10 bytes");
  CHECK(fault_of(framed("\x12\x7F\x08\x01"s)) == "a field is longer than the rest of the message");
  CHECK(fault_of(framed("\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s)) ==
        "a field is longer than the rest of the message");
  CHECK(fault_of(framed("\x08\x01\x12\x02\x08\x80"s)) == "it is cut short");
  CHECK(fault_of(framed("\x08\x01\x12\x04\x22\x02\x08\x80"s)) == "it is cut short");
  CHECK(fault_of(framed("\x02\x00"s)) == "a field has the number 0");
  CHECK(fault_of(framed("\x0B\x0C"s)) == "a field has a type that does not exist");
  CHECK(fault_of(framed("\x39"
                        "1234"s)) == "a field is longer than the rest of the message");
}

TEST_CASE("a call that failed says so with the word for its status") {
  CHECK(call_fails({{"grpc-status", "14"}, {"grpc-message", "no%20store%E2%82"}}) ==
        "gRPC status 14 (UNAVAILABLE): no store\\xe2\\x82");
  CHECK(call_fails({{"Grpc-Status", "8"}}) == "gRPC status 8 (RESOURCE_EXHAUSTED)");
  CHECK(call_fails({{"grpc-status", "16"}}) == "gRPC status 16 (UNAUTHENTICATED)");
  CHECK(call_fails({{"grpc-status", "17"}}) == "gRPC status 17");
  CHECK(call_fails({{"grpc-status", "\x1B[2J"}}) == "gRPC status \\x1b[2J");
  CHECK(call_fails({{"grpc-status", "2"}, {"grpc-message", "100% %4"}}) ==
        "gRPC status 2 (UNKNOWN): 100% %4");
  CHECK(call_fails({}) == "the answer has no gRPC status");
}

TEST_CASE("a descriptor is written as keys and values") {
  CHECK(parse_descriptor("user=<user>,path=/a=b") ==
        RlsDescriptor{{"user", "<user>"}, {"path", "/a=b"}});
  CHECK(parse_descriptor("user=") == RlsDescriptor{{"user", ""}});
  CHECK(descriptor_text(parse_descriptor("a=b,c=d")) == "a=b,c=d");
  for (const char* wrong : {"user", "=x", "a=b,c"}) CHECK_THROWS_AS(parse_descriptor(wrong), Error);
}
