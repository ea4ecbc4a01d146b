#include "log/formats/haproxy_rows.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::array kNames{"client_ip", "frontend", "backend"};
constexpr const char* kOther = "not an HTTP log line of HAProxy";

std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), end + 1));
  return word;
}

// "10.0.1.2" of "Feb 6 12:14:14 host haproxy[1]: 10.0.1.2:33317"; the port follows the last
// colon.
std::string_view address_of(std::string_view before_date) {
  const std::size_t blank = before_date.rfind(' ');
  if (blank != std::string_view::npos) before_date.remove_prefix(blank + 1);
  const std::size_t colon = before_date.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : before_date.substr(0, colon);
}

// "109" of "10/0/30/69/109" or "10/0/30/69/+109"; an aborted request has -1 where it stopped, but
// still has a total.
std::string_view total_of(std::string_view timers) {
  if (std::count(timers.begin(), timers.end(), '/') != 4) return {};
  timers.remove_prefix(timers.rfind('/') + 1);
  if (timers.starts_with('+')) timers.remove_prefix(1);
  return timers;
}

}  // namespace

HaproxyRows::HaproxyRows(const LogColumns& columns) {
  for (std::size_t i = 0; i < names_.size(); ++i) names_[i] = columns.meaning_of(kNames[i]).name;
}

std::vector<std::string> HaproxyRows::columns() const { return {kNames.begin(), kNames.end()}; }

const char* HaproxyRows::parse(std::string_view line, LogRow& row) {
  row.clear();
  // Syslog's own prefix has brackets too, "haproxy[14389]:", but no blank before them.
  const std::size_t open = line.find(" [");
  if (open == std::string_view::npos) return kOther;
  const std::size_t close = line.find("] ", open);
  if (close == std::string_view::npos) return kOther;
  const std::string_view address = address_of(line.substr(0, open));
  std::string_view rest = line.substr(close + 2);
  const std::string_view frontend = take_word(rest);
  std::string_view server = take_word(rest);
  const std::string_view backend = take_until(server, '/');
  const std::string_view total = total_of(take_word(rest));
  const std::string_view status = take_word(rest);
  if (address.empty() || total.empty() || status.empty()) return kOther;
  row.set(Field::key, address);
  row.set(Field::time, line.substr(open + 2, close - open - 2));
  row.set(Field::duration, total);
  row.set(Field::status, status);
  const std::array values{address, frontend, backend};
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] >= 0) row.set_name(static_cast<std::size_t>(names_[i]), false, values[i]);
  return nullptr;
}

}  // namespace rlctl
