#include "log/formats/wrapped_rows.h"

#include <utility>

#include "base/text.h"
#include "log/formats/access_rows.h"
#include "log/formats/json_rows.h"
#include "log/formats/known_formats.h"

namespace rlctl {
namespace {

enum Name : std::size_t { kMessage, kStream, kPart };  // in the order of want()

constexpr std::size_t kLongest = std::size_t{1} << 20U;  // like a line

}  // namespace

MessageReader::MessageReader(const LogWrapper& wrapper)
    : part_(wrapper.part), buffer_(wrapper.buffer) {
  columns_.want("message", wrapper.message);
  columns_.want("stream", wrapper.stream);
  columns_.want("part", take_until(part_, '='));
  if (wrapper.shape == LogShape::json)
    rows_ = std::make_unique<JsonRows>(columns_, JsonRows::Use::message);
  else
    rows_ = std::make_unique<AccessRows>(AccessRows::unchecked(wrapper.tell, columns_));
}

// Other programs write docker's lines without their ends, so that a short one says nothing.
bool MessageReader::is_part(std::string_view message) const {
  if (buffer_ > 0) return message.size() >= buffer_ && !message.ends_with('\n');
  std::string_view tags = row_.name(kPart).text;
  return !part_.empty() && take_until(tags, ':') == part_;
}

// Null: `message` is whole, with the parts before it.
const char* MessageReader::join(std::string_view& message) {
  const std::string_view stream = row_.name(kStream).text;
  const bool goes_on = is_part(message);
  auto begun = parts_.find(stream);
  if (begun == parts_.end() && !goes_on) return nullptr;
  if (begun == parts_.end()) begun = parts_.emplace(stream, "").first;
  begun->second += message;
  const bool fits = begun->second.size() <= kLongest;
  if (goes_on && fits) return kNoRow;
  whole_ = std::move(begun->second);
  parts_.erase(begun);
  message = whole_;
  return fits ? nullptr : "its parts are longer than 1 MiB";
}

const char* MessageReader::read(std::string_view line, std::string_view& message) {
  if (const char* problem = rows_->parse(line, row_)) return problem;
  message = row_.name(kMessage).text;
  if (const char* problem = join(message)) return problem;
  message = trimmed(message, kBlanksAndLineEnds);
  if (message.starts_with("\xEF\xBB\xBF")) message.remove_prefix(3);  // RFC 5424 begins so
  return message.empty() ? kNoRow : nullptr;
}

const char* WrappedRows::parse(std::string_view line, LogRow& row) {
  std::string_view message;
  if (const char* problem = outer_->read(line, message)) return problem;
  return inner_->parse(message, row);
}

}  // namespace rlctl
