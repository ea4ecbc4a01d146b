#include "inspect/doctor/memory_exam.h"

#include <fmt/format.h>

#include "base/units.h"

namespace rlctl {
namespace {

std::string bytes_in_words(double bytes) { return format_bytes(static_cast<std::int64_t>(bytes)); }

}  // namespace

double ClientMemory::bytes_per_client() const {
  return clients == 0 ? 0
                      : bytes_per_key * static_cast<double>(keys) / static_cast<double>(clients);
}

std::optional<std::int64_t> ClientMemory::room() const {
  if (!room_bytes || bytes_per_client() <= 0) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<double>(*room_bytes) / bytes_per_client());
}

std::string ClientMemory::in_words() const {
  std::string words = counted(keys, "key looks", "keys look") + " like those of limiters";
  if (bytes_per_client() <= 0) return words + '\n';
  words +=
      fmt::format(" of {}\na client takes {}, 1,000,000 take {}", counted(clients, "client"),
                  bytes_in_words(bytes_per_client()), bytes_in_words(bytes_per_client() * 1e6));
  if (const auto more = room())
    words += fmt::format("; {} more {}", format_count(*more), *more == 1 ? "fits" : "fit");
  return words + '\n';
}

void examine(const ClientMemory& memory, HealthFindings& findings) {
  const auto room = memory.room();
  if (!room || *room >= memory.clients) return;
  findings.push_back(
      {Ailment::little_room,
       fmt::format("{} {} each; {} more {} maxmemory",
                   counted(memory.clients, "client of a limiter takes", "clients of limiters take"),
                   bytes_in_words(memory.bytes_per_client()), format_count(*room),
                   *room == 1 ? "fills" : "fill")});
}

}  // namespace rlctl
