// Reads a log's text on several threads: cut into blocks of whole lines, of which each has a copy
// of the reader of rows. The blocks are taken in their order by the caller's thread, so that the
// result is that of one thread. A block is a guess that its lines are read as those before it were:
// who takes it looks whether that was true (RowReader::state), and else reads its lines again.
//
// Not for two threads at once, apart from LineBlock::read().
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/line_splitter.h"
#include "log/row_reader.h"

namespace rlctl {

class LineBlock {
 public:
  enum class Kind : std::uint8_t {
    row,
    other,    // no record was made of it; if it is read again, that changes nothing for other lines
    turning,  // may change how the lines after it are read
  };
  struct Line {
    LineSplitter::Line source;
    Kind kind = Kind::other;
    ReadRow row;
    std::size_t hash = 0;  // of the text of a row
  };

  // `text`: whole lines, after so many others.
  LineBlock(std::string text, std::uint64_t lines_before, std::unique_ptr<RowReader> reader);

  // Does the work. Any thread.
  void read();

  const std::vector<Line>& lines() const { return lines_; }
  const RowReader::State& began_as() const { return began_as_; }
  bool is_steady() const { return reader_->state() == began_as_; }

 private:
  void add(const LineSplitter::Line& source);
  std::string_view kept(std::string_view name);

  std::string text_;
  std::uint64_t lines_before_;
  std::unique_ptr<RowReader> reader_;
  RowReader::State began_as_;
  std::vector<Line> lines_;
  std::deque<std::string> decoded_;  // names that are not in the text
};

class LineBlocks {
 public:
  // About so many blocks are read at once. `begun`: has read the beginning of a line.
  LineBlocks(std::size_t threads, const LineSplitter& begun)
      : threads_(threads), begun_(begun.pending()), lines_before_(begun.lines()) {}

  // Calls `take(const LineBlock&)` for blocks that are read; each gets a copy of `reader`.
  template <class Take>
  void feed(std::string_view bytes, const RowReader& reader, Take&& take) {
    add(bytes);
    if (line_begin_ < kBlockBytes) return;
    if (busy_.size() >= kBlocksAhead * threads_) take_first(take);
    begin(reader);
  }
  // The rest, apart from a last line that no LF ended.
  template <class Take>
  void finish(const RowReader& reader, Take&& take) {
    begin(reader);
    while (!busy_.empty()) take_first(take);
  }
  // Until no thread reads any more.
  void wait() const;

  // What reads the last line on.
  LineSplitter splitter() const;

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 18U;
  static constexpr std::size_t kBlocksAhead = 2;  // of a thread, so that none waits for the caller

  struct Busy {
    std::unique_ptr<LineBlock> block;
    std::future<void> reading;  // waits in its destructor
  };

  void add(std::string_view bytes);
  void begin(const RowReader& reader);
  template <class Take>
  void take_first(Take&& take) {
    Busy first = std::move(busy_.front());
    busy_.pop_front();
    first.reading.get();
    take(std::as_const(*first.block));
  }

  std::size_t threads_;
  std::string begun_;           // lines that wait for a block, and the beginning of one
  std::size_t line_begin_ = 0;  // of that one
  std::uint64_t lines_before_;
  std::deque<Busy> busy_;
};

}  // namespace rlctl
