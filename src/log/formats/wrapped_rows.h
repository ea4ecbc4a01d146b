// Rows whose line is inside of another one: what syslog, journald or a container runtime carries.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "log/formats/columns.h"
#include "log/formats/row.h"

namespace rlctl {

struct LogWrapper;

// Takes the line out of its wrapper.
class MessageReader {
 public:
  explicit MessageReader(const LogWrapper& wrapper);

  // Null, or what is wrong. `message` is valid until the next call.
  const char* read(std::string_view line, std::string_view& message);

 private:
  LogColumns columns_;
  std::unique_ptr<RowParser> rows_;
  LogRow row_;
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
