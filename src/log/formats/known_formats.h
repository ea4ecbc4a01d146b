// The logs of other programs, as data: how a line is told, which columns mean what, and which
// moment of a request the stamp marks. A format is a row; the readers (access_rows.h, json_rows.h,
// csv_rows.h) know none by name. Each row says which document of its vendor it is from. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "log/formats/columns.h"
#include "log/formats/row.h"
#include "log/formats/stamp.h"

namespace rlctl {

enum class LogShape : std::uint8_t { text, json, w3c, csv };
inline constexpr Word<LogShape> kLogShapeWords[] = {{"text", LogShape::text},
                                                    {"json", LogShape::json},
                                                    {"w3c", LogShape::w3c},
                                                    {"csv", LogShape::csv}};
constexpr std::span<const Word<LogShape>> words_of(LogShape) { return kLogShapeWords; }

struct KnownFormat {
  const char* name;  // for --format; several rows of one name are variants
  const char* program;
  LogShape shape;
  // Of text: the line as an nginx log_format, of which the end may be missing. Of other shapes:
  // words that are all in a line (or in the line of names).
  const char* tell;
  // The columns that have other names than usual, as the options that would name them:
  // "time=StartUTC duration=Duration:ns".
  const char* columns = "";
  StampAt stamp = StampAt::detected;  // detected: the documentation leaves it open
};

// The most telling first.
std::span<const KnownFormat> known_formats();

// What carries the lines of another log: syslog, journald, container runtimes. `tell` as above;
// the line is in `message`. Container runtimes cut long lines into parts.
struct LogWrapper {
  const char* name;
  LogShape shape;
  const char* tell;
  const char* message = "message";
  const char* stream = "";  // the column that tells whose part it is: several write at once
  const char* part = "";    // "tag=P": the line goes on in the next one of its stream
  std::size_t buffer = 0;   // parts are so long, and have no line end
};
std::span<const LogWrapper> log_wrappers();

// The names for --format, each once.
std::vector<std::string> format_names();

// The reader of one file.
struct FoundFormat {
  const KnownFormat* format = nullptr;  // null: none was found
  std::unique_ptr<LogColumns> columns;  // `rows` refers to it
  std::unique_ptr<RowParser> rows;
  bool is_part = false;  // none was found, and the line goes on in another one
};

// The first format that the line fits; of this name, if it is not empty. Looks inside of wrappers.
// `before`: the lines that end with a part which this one may complete; `rows` have read them.
FoundFormat find_format(std::string_view line, std::string_view name, const LogColumns& columns,
                        std::span<const std::string> before = {});

// The reader of a format for which no line is needed (json, csv). Empty: it needs one.
FoundFormat begin_format(std::string_view name, const LogColumns& columns);

}  // namespace rlctl
