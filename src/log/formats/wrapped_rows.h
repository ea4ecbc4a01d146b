// Rows whose line is inside of another one: what syslog, journald or a container runtime carries.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "log/formats/columns.h"
#include "log/formats/row.h"

namespace rlctl {

struct LogWrapper;

// Takes the line out of its wrapper, and joins its parts. Of a part it says kNoRow, until the last.
class MessageReader {
 public:
  explicit MessageReader(const LogWrapper& wrapper);

  // Null, or what is wrong. `message` is valid until the next call.
  const char* read(std::string_view line, std::string_view& message);

 private:
  bool is_part(std::string_view message) const;
  const char* join(std::string_view& message);

  LogColumns columns_;
  std::unique_ptr<RowParser> rows_;
  LogRow row_;
  std::string_view part_;  // the value of LogWrapper::part
  std::size_t buffer_;
  std::map<std::string, std::string, std::less<>> parts_;  // by stream, of lines that go on
  std::string whole_;
};

class WrappedRows final : public RowParser {
 public:
  WrappedRows(std::unique_ptr<MessageReader> outer, std::unique_ptr<RowParser> inner)
      : outer_(std::move(outer)), inner_(std::move(inner)) {}

  const char* parse(std::string_view line, LogRow& row) override;
  std::vector<std::string> columns() const override { return inner_->columns(); }
  TimeUnit unit_of(Field field) const override { return inner_->unit_of(field); }

 private:
  std::unique_ptr<MessageReader> outer_;
  std::unique_ptr<RowParser> inner_;
};

}  // namespace rlctl
