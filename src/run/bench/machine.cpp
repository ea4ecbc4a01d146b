#include "run/bench/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "base/escape.h"

namespace rlctl {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    // "model name" on x86, "Model" or "CPU part" elsewhere.
    if (colon == line.npos) continue;
    if (line.starts_with("model name") || line.starts_with("Model"))
      return escape_for_terminal(line.substr(colon + 2));
  }
  return {};
}

}  // namespace

Machine read_machine() {
  Machine machine;
  machine.cpu = cpu_model();
  machine.cores = std::max(0L, sysconf(_SC_NPROCESSORS_ONLN));
  machine.memory_bytes =
      std::max(0L, sysconf(_SC_PHYS_PAGES)) * std::max(0L, sysconf(_SC_PAGESIZE));
  utsname names{};
  if (uname(&names) == 0)
    machine.kernel =
        escape_for_terminal(std::string(names.sysname) + " " + names.release + " " + names.machine);
  return machine;
}

std::optional<CoreTimes> read_core_times() {
  std::ifstream file("/proc/stat");
  std::string name;
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0;
  file >> name >> user >> nice >> system >> idle >> wait >> irq >> soft >> stolen;
  if (!file || name != "cpu") return std::nullopt;
  const long ticks_per_s = sysconf(_SC_CLK_TCK);
  if (ticks_per_s <= 0) return std::nullopt;
  const std::int64_t tick_us = 1'000'000 / ticks_per_s;
  const std::int64_t busy = user + nice + system + irq + soft;
  return CoreTimes{busy * tick_us, stolen * tick_us, (busy + idle + wait + stolen) * tick_us};
}

double read_load() {
  std::ifstream file("/proc/loadavg");
  double load = -1;
  file >> load;
  return file ? load : -1;
}

MachineUse use_between(const CoreTimes& before, const CoreTimes& after, std::int64_t own_us) {
  MachineUse use;
  const auto all = static_cast<double>(after.all_us - before.all_us);
  if (all <= 0) return use;
  const std::int64_t other_us = std::max<std::int64_t>(0, after.busy_us - before.busy_us - own_us);
  use.other_cpu_percent = 100 * static_cast<double>(other_us) / all;
  use.stolen_percent = 100 * static_cast<double>(after.stolen_us - before.stolen_us) / all;
  return use;
}

}  // namespace rlctl
