// access_log FILE LINES: writes a combined access log of one day, to measure `plan` and to see what
// it advises: 100,000 clients drawn by Zipf's law, more by day than by night, some of whose
// requests come in bursts (a page with its parts); a crawler at equal intervals; a NAT with many
// users. The same arguments give the same log.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kClients = 100'000;
constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kFrom = 1'795'219'200;  // 2026-11-21 00:00:00 UTC

struct Request {
  std::int64_t at = 0;
  std::string client;
  const char* agent = "";
};

// By inversion of the integral, which is close enough to 1/rank.
int draw_client(std::mt19937_64& random) {
  const double uniform = std::uniform_real_distribution<double>(0, 1)(random);
  return static_cast<int>(std::pow(kClients, uniform)) - 1;
}

// Twice as many at noon as on average, hardly any at midnight.
std::int64_t draw_second(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  for (;;) {
    const double day = uniform(random);
    if (uniform(random) < 0.5 - 0.45 * std::cos(2 * std::numbers::pi * day))
      return static_cast<std::int64_t>(day * kDay);
  }
}

std::string address_of(int client) {
  return "10." + std::to_string(client / 65'536) + "." + std::to_string(client / 256 % 256) + "." +
         std::to_string(client % 256);
}

std::vector<Request> requests(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Request> all;
  all.reserve(count);
  for (std::int64_t at = 0; at < kDay && all.size() < count / 20; at += 2)
    all.push_back({at, "198.51.100.1", "crawler/1"});
  while (all.size() < count / 10)
    all.push_back({draw_second(random), "198.51.100.2", random() % 2 == 0 ? "Mozilla" : "App/3"});
  while (all.size() < count) {
    const std::string client = address_of(draw_client(random));
    const std::int64_t at = draw_second(random);
    const std::size_t burst = random() % 4 == 0 ? 1 + random() % 12 : 1;
    for (std::size_t i = 0; i < burst && all.size() < count; ++i)
      all.push_back({at + static_cast<std::int64_t>(i / 6), client, "Mozilla"});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Request& a, const Request& b) { return a.at < b.at; });
  return all;
}

void write_line(const Request& request, std::size_t number, std::FILE* file) {
  const std::time_t at = kFrom + request.at;
  char time[40];
  std::strftime(time, sizeof time, "%d/%b/%Y:%H:%M:%S +0000", std::gmtime(&at));
  std::fprintf(file, "%s - - [%s] \"GET /api/items/%zu HTTP/1.1\" 200 512 \"-\" \"%s\"\n",
               request.client.c_str(), time, number % 1'000, request.agent);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) return 2;
  std::size_t number = 0;
  for (const Request& request : requests(std::strtoull(argv[2], nullptr, 10)))
    write_line(request, number++, file);
  return std::fclose(file) == 0 ? 0 : 2;
}
