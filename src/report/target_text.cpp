#include "report/target_text.h"

#include "base/escape.h"
#include "base/table.h"
#include "base/units.h"

namespace rlctl {

std::string target_table_text(const std::vector<TargetCounts>& counts, std::size_t width) {
  if (counts.empty()) return {};
  Table table({{"target"},
               {"requests", Align::right},
               {"allowed", Align::right},
               {"denied", Align::right},
               {"unknown", Align::right},
               {"failed", Align::right}},
              2);
  for (const TargetCounts& count : counts)
    table.add_row({escape_for_terminal(count.target), format_count(count.requests),
                   format_count(count.allowed), format_count(count.denied),
                   format_count(count.unknown), format_count(count.failed)});
  return table.text(width);
}

}  // namespace rlctl
