#include "log/formats/wrapped_rows.h"

#include "base/text.h"
#include "log/formats/access_rows.h"
#include "log/formats/json_rows.h"
#include "log/formats/known_formats.h"

namespace rlctl {

MessageReader::MessageReader(const LogWrapper& wrapper) {
  columns_.want("message", wrapper.message);
  if (wrapper.shape == LogShape::json)
    rows_ = std::make_unique<JsonRows>(columns_);
  else
    rows_ = std::make_unique<AccessRows>(AccessRows::unchecked(wrapper.tell, columns_));
}

const char* MessageReader::read(std::string_view line, std::string_view& message) {
  if (const char* problem = rows_->parse(line, row_)) return problem;
  message = trimmed(row_.name(0).text, kBlanksAndLineEnds);
  if (message.starts_with("\xEF\xBB\xBF")) message.remove_prefix(3);  // RFC 5424 begins so
  return message.empty() ? kNoRow : nullptr;
}

const char* WrappedRows::parse(std::string_view line, LogRow& row) {
  std::string_view message;
  if (const char* problem = outer_->read(line, message)) return problem;
  return inner_->parse(message, row);
}

}  // namespace rlctl
