#include "log/line_blocks.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.h"
#include "log/log_header.h"

namespace rlctl {
namespace {

constexpr std::size_t kShortLine = 40;  // to reserve memory

}  // namespace

LineBlock::LineBlock(std::string text, std::uint64_t lines_before,
                     std::unique_ptr<RowReader> reader)
    : text_(std::move(text)),
      lines_before_(lines_before),
      reader_(std::move(reader)),
      began_as_(reader_->state()) {}

void LineBlock::read() {
  lines_.reserve(text_.size() / kShortLine);
  LineSplitter splitter(lines_before_);
  splitter.feed(text_, [this](const LineSplitter::Line& line) { add(line); });
}

void LineBlock::add(const LineSplitter::Line& source) {
  const std::string_view text = source.text;
  if (!source.too_long && trimmed(text).empty()) return;
  Line& line = lines_.emplace_back();
  line.source = source;
  if (text.starts_with('#') || is_log_mark(text)) {
    line.kind = Kind::turning;
  } else if (source.problem() == nullptr && reader_->read(text, line.row) == nullptr) {
    line.kind = Kind::row;
    line.hash = std::hash<std::string_view>{}(text);
    HistoryBuilder::Names& names = line.row.names;
    for (std::string_view* name : {&names.key, &names.who, &names.phase, &names.target})
      *name = kept(*name);
    for (std::string_view& name : names.others) name = kept(name);
  }
}

std::string_view LineBlock::kept(std::string_view name) {
  const char* begin = text_.data();
  const bool is_inside = std::less_equal<>{}(begin, name.data()) &&
                         std::less_equal<>{}(name.data(), begin + text_.size());
  return name.empty() || is_inside ? name : decoded_.emplace_back(name);
}

// Of a line that is too long, no more is kept than shows that it is.
void LineBlocks::add(std::string_view bytes) {
  const auto go_on = [this](std::string_view part) {
    constexpr std::size_t kMost = LineSplitter::kLongestLine + 1;
    begun_ += part.substr(0, kMost - std::min(kMost, begun_.size() - line_begin_));
  };
  const std::size_t first = bytes.find('\n');
  if (first == bytes.npos) return go_on(bytes);
  go_on(bytes.substr(0, first));
  const std::size_t last = bytes.rfind('\n');
  begun_ += bytes.substr(first, last + 1 - first);
  line_begin_ = begun_.size();
  go_on(bytes.substr(last + 1));
}

void LineBlocks::begin(const RowReader& reader) {
  if (line_begin_ == 0) return;
  std::string rest = begun_.substr(line_begin_);
  begun_.resize(line_begin_);
  const auto lines = std::count(begun_.begin(), begun_.end(), '\n');
  auto block = std::make_unique<LineBlock>(std::exchange(begun_, std::move(rest)), lines_before_,
                                           reader.copy());
  lines_before_ += static_cast<std::uint64_t>(lines);
  line_begin_ = 0;
  auto reading = std::async(std::launch::async, [read = block.get()] { read->read(); });
  busy_.push_back({std::move(block), std::move(reading)});
}

LineSplitter LineBlocks::splitter() const {
  LineSplitter splitter(lines_before_);
  splitter.feed(begun_, [](const LineSplitter::Line&) {});
  return splitter;
}

void LineBlocks::wait() const {
  for (const Busy& busy : busy_) busy.reading.wait();
}

}  // namespace rlctl
