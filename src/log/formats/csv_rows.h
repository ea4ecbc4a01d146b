// Rows of CSV (RFC 4180), also with semicolons or tabs in place of commas. The first line names the
// columns; lines that begin with # are comments. A cell cannot continue on the next line. In W3C
// logs (IIS, CloudFront) the line "#Fields:" names them. In rlctl's own logs (begin_own_log) the
// mark that protects a cell from being read as a formula is removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "log/formats/columns.h"
#include "log/formats/row.h"

namespace rlctl {

class CsvRows final : public RowParser {
 public:
  enum class Names : std::uint8_t { first_line, w3c };
  explicit CsvRows(const LogColumns& columns, Names names = Names::first_line)
      : columns_(columns), w3c_(names == Names::w3c) {}

  // Throws if the first line names no time, no key or no outcome, or one of them twice.
  const char* parse(std::string_view line, LogRow& row) override;
  void begin_own_log() override;
  std::unique_ptr<RowParser> copy() const override { return std::make_unique<CsvRows>(*this); }
  std::vector<std::string> columns() const override { return names_; }

  TimeUnit unit_of(Field field) const override;

 private:
  void read_names(std::string_view line);
  void read_fields(std::string_view names);
  const char* parse_w3c(std::string_view line, LogRow& row);
  const char* parse_cells(std::string_view line, LogRow& row);
  void check_names() const;
  void refuse_doubled() const;
  bool has(Field field) const;
  const char* quoted_cell(std::string_view& rest, std::string_view& cell);

  const LogColumns& columns_;
  std::vector<std::string> names_;             // of the columns
  std::vector<LogColumns::Meaning> meanings_;  // by column; empty: no names were read yet
  std::deque<std::string> decoded_;
  bool w3c_;
  char separator_ = ',';
  bool own_ = false;
};

}  // namespace rlctl
