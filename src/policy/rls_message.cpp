#include "policy/rls_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "base/varint.h"

namespace rlctl {
namespace {

constexpr std::int32_t kOk = 1;
constexpr std::int32_t kOverLimit = 2;
// A service answers with one for each descriptor that it was asked.
constexpr std::size_t kMostStatuses = 1'000;
constexpr std::size_t kFrameBytes = 5;

// The kinds of a field (protobuf.dev, "Encoding").
enum WireType : unsigned { kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5 };

void put_bytes(std::string& to, unsigned field, std::string_view bytes) {
  append_varint(to, field << 3U | kBytes);
  append_varint(to, bytes.size());
  to += bytes;
}

std::string descriptor_message(const RlsDescriptor& descriptor) {
  std::string message;
  for (const auto& [key, value] : descriptor) {
    std::string entry;
    put_bytes(entry, 1, key);
    put_bytes(entry, 2, value);
    put_bytes(message, 1, entry);
  }
  return message;
}

// The fields of a message, one after another. A field of another type than expected is not known,
// as in every reader of Protocol Buffers.
class Fields {
 public:
  // `problem`: where the first fault is told; null: there is none.
  Fields(std::string_view bytes, const char*& problem) : rest_(bytes), problem_(problem) {}

  // False: there is no other one.
  bool next() {
    if (rest_.empty() || problem_ != nullptr) return false;
    const std::uint64_t tag = varint();
    type_ = static_cast<unsigned>(tag & 7U);
    field_ = tag >> 3U;
    if (field_ == 0)
      fail("a field has the number 0");
    else if (type_ == kVarint)
      number_ = varint();
    else if (type_ == kBytes)
      bytes_ = take(varint());
    else if (type_ == kEightBytes || type_ == kFourBytes)
      take(type_ == kEightBytes ? 8 : 4);
    else
      fail("a field has a type that does not exist");
    return problem_ == nullptr;
  }

  bool is_number(std::uint64_t field) const { return field_ == field && type_ == kVarint; }
  bool is_bytes(std::uint64_t field) const { return field_ == field && type_ == kBytes; }
  std::uint64_t number() const { return number_; }
  std::string_view bytes() const { return bytes_; }

 private:
  void fail(const char* problem) {
    if (problem_ == nullptr) problem_ = problem;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail(rest_.empty() ? "it is cut short" : "a number is longer than 10 bytes");
    return 0;
  }

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) fail("a field is longer than the rest of the message");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  const char*& problem_;
  std::uint64_t field_ = 0;
  unsigned type_ = 0;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
};

// google.protobuf.Duration; kNoTime: a time that nobody waits.
std::int64_t read_duration(std::string_view bytes, const char*& problem) {
  std::uint64_t seconds = 0;
  std::uint64_t nanos = 0;
  for (Fields fields(bytes, problem); fields.next();) {
    if (fields.is_number(1)) seconds = fields.number();
    if (fields.is_number(2)) nanos = fields.number();
  }
  if (seconds > kLongestDurationUs / kSecondUs || nanos >= 1'000'000'000) return kNoTime;
  return static_cast<std::int64_t>(seconds) * kSecondUs + static_cast<std::int64_t>(nanos / 1'000);
}

// DescriptorStatus. Protocol Buffers do not send a 0, so a status without any sign of a limit does
// not say that nothing remains: Envoy's service answers so where no limit is configured.
void read_status(std::string_view bytes, RateLimitFields& to, const char*& problem) {
  if (to.limits.size() == kMostStatuses) return;
  std::int32_t code = 0;
  bool has_limit = false;
  ServiceLimit limit;
  for (Fields fields(bytes, problem); fields.next();) {
    if (fields.is_number(1)) code = static_cast<std::int32_t>(fields.number());
    if (fields.is_number(3)) limit.remaining = static_cast<std::uint32_t>(fields.number());
    if (fields.is_bytes(4)) limit.reset_us = read_duration(fields.bytes(), problem);
    if (fields.is_bytes(4) && limit.reset_us == kNoTime)
      to.malformed.emplace_back("duration_until_reset");
    has_limit = has_limit || fields.is_bytes(2) || fields.is_number(3) || fields.is_bytes(4);
  }
  if (code == kOverLimit || limit.remaining == 0)
    to.retry_after_us = std::max(to.retry_after_us, limit.reset_us);
  if (has_limit) to.limits.push_back(limit);
}

// The overall code.
std::int32_t read_response(std::string_view message, RateLimitFields& to, const char*& problem) {
  std::int32_t code = 0;
  for (Fields fields(message, problem); fields.next();) {
    if (fields.is_number(1)) code = static_cast<std::int32_t>(fields.number());
    if (fields.is_bytes(2)) read_status(fields.bytes(), to, problem);
  }
  return code;
}

// The one message of an answer: a byte for its compression, four for its length, and the message.
std::string_view message_in(std::string_view body, const char*& problem) {
  std::size_t size = 0;
  for (const char byte : body.substr(0, kFrameBytes).substr(std::min<std::size_t>(1, body.size())))
    size = size << 8U | static_cast<unsigned char>(byte);
  if (body.size() < kFrameBytes || body.size() - kFrameBytes < size)
    problem = "it is cut short";
  else if (body.size() - kFrameBytes > size)
    problem = "more follows it";
  else if (body[0] != 0)
    problem = "it is compressed";
  return problem == nullptr ? body.substr(kFrameBytes) : std::string_view();
}

std::string_view value_of(std::span<const HeaderField> fields, std::string_view name) {
  const auto found = std::ranges::find_if(
      fields, [&](const HeaderField& field) { return equals_ignoring_case(field.name, name); });
  return found == fields.end() ? std::string_view() : found->value;
}

// The text of a grpc-message. What is no escape stays.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_coded = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                          hex_value(text[i + 2]) >= 0;
    decoded += is_coded ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]))
                        : text[i];
    if (is_coded) i += 2;
  }
  return decoded;
}

// Why the call failed; empty: it did not.
std::string call_problem(std::span<const HeaderField> trailers) {
  static constexpr const char* kNames[] = {"OK",
                                           "CANCELLED",
                                           "UNKNOWN",
                                           "INVALID_ARGUMENT",
                                           "DEADLINE_EXCEEDED",
                                           "NOT_FOUND",
                                           "ALREADY_EXISTS",
                                           "PERMISSION_DENIED",
                                           "RESOURCE_EXHAUSTED",
                                           "FAILED_PRECONDITION",
                                           "ABORTED",
                                           "OUT_OF_RANGE",
                                           "UNIMPLEMENTED",
                                           "INTERNAL",
                                           "UNAVAILABLE",
                                           "DATA_LOSS",
                                           "UNAUTHENTICATED"};
  const std::string_view status = value_of(trailers, "grpc-status");
  if (status == "0") return {};
  if (status.empty()) return "the answer has no gRPC status";
  const auto number = parse_whole<std::uint32_t>(status);
  const std::string_view said = value_of(trailers, "grpc-message");
  return fmt::format(
             "gRPC status {}{}", escape_for_terminal(status.substr(0, 20)),
             number && *number < std::size(kNames) ? fmt::format(" ({})", kNames[*number]) : "") +
         (said.empty() ? "" : ": " + escape_for_terminal(percent_decoded(said.substr(0, 200))));
}

}  // namespace

std::string rls_request(std::string_view domain, std::span<const RlsDescriptor> descriptors,
                        std::int64_t hits) {
  std::string message;
  put_bytes(message, 1, domain);
  for (const RlsDescriptor& descriptor : descriptors)
    put_bytes(message, 2, descriptor_message(descriptor));
  if (hits != 1) {
    append_varint(message, 3U << 3U | kVarint);
    append_varint(message, static_cast<std::uint64_t>(hits));
  }
  std::string frame(1, '\0');
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    frame += static_cast<char>(message.size() >> shift);
  return frame + message;
}

RlsAnswer read_rls_answer(std::span<const HeaderField> trailers, std::string_view body) {
  RlsAnswer answer;
  answer.problem = call_problem(trailers);
  if (!answer.problem.empty()) return answer;
  const char* fault = nullptr;
  const std::int32_t code = read_response(message_in(body, fault), answer.fields, fault);
  answer.is_ok = code == kOk;
  if (fault != nullptr)
    answer.problem = std::string("the answer is no RateLimitResponse: ") + fault;
  else if (code != kOk && code != kOverLimit)
    answer.problem = fmt::format("the answer's code is {}, which is neither OK nor OVER_LIMIT",
                                 code == 0 ? "UNKNOWN" : std::to_string(code));
  if (!answer.problem.empty()) return {false, {}, answer.problem};
  return answer;
}

}  // namespace rlctl
