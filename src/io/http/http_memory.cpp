#include "io/http/http_memory.h"

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace rlctl {
namespace {

constexpr std::size_t kStepBytes = 64;
constexpr std::size_t kLargestKeptBytes = 8 * 1024;  // read buffers and connections fit

// Stored in front of every block; its size is the strictest alignment.
struct alignas(std::max_align_t) Prefix {
  std::size_t capacity;
};

struct KeptBlock {
  KeptBlock* next;
};

Prefix* prefix_of(void* block) { return static_cast<Prefix*>(block) - 1; }

class Shelves {
 public:
  constexpr Shelves() = default;
  ~Shelves() {
    for (KeptBlock*& first : first_)
      while (first != nullptr) std::free(prefix_of(std::exchange(first, first->next)));
  }
  Shelves(const Shelves&) = delete;
  Shelves& operator=(const Shelves&) = delete;

  void* take(std::size_t bytes) {
    const std::size_t steps = (bytes + kStepBytes - 1) / kStepBytes;
    if (bytes > kLargestKeptBytes) return fresh(bytes);
    KeptBlock*& first = first_[steps];
    if (first == nullptr) return fresh(steps == 0 ? kStepBytes : steps * kStepBytes);
    return std::exchange(first, first->next);
  }

  void put_back(void* block) {
    const std::size_t capacity = prefix_of(block)->capacity;
    if (capacity > kLargestKeptBytes) return std::free(prefix_of(block));
    KeptBlock*& first = first_[capacity / kStepBytes];
    first = new (block) KeptBlock{first};
  }

 private:
  static void* fresh(std::size_t capacity) {
    void* memory = std::malloc(sizeof(Prefix) + capacity);
    if (memory == nullptr) return nullptr;
    return new (memory) Prefix{capacity} + 1;
  }

  std::array<KeptBlock*, kLargestKeptBytes / kStepBytes + 1> first_{};  // by steps
};

thread_local Shelves shelves;

void* allocate(std::size_t bytes) { return shelves.take(bytes); }

void release(void* block) {
  if (block != nullptr) shelves.put_back(block);
}

void* resize(void* block, std::size_t bytes) {
  if (block == nullptr) return allocate(bytes);
  const std::size_t capacity = prefix_of(block)->capacity;
  if (bytes <= capacity) return block;
  void* larger = allocate(bytes);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, block, capacity);
  release(block);
  return larger;
}

void* allocate_zeros(std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* block = allocate(all);
  return block == nullptr ? nullptr : std::memset(block, 0, all);
}

char* duplicate(const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  void* block = allocate(bytes);
  return block == nullptr ? nullptr : static_cast<char*>(std::memcpy(block, text, bytes));
}

// AddressSanitizer must see every allocation and every free.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif

bool initialize() {
  if (!kKeepsBlocks) return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return curl_global_init_mem(CURL_GLOBAL_DEFAULT, allocate, release, resize, duplicate,
                              allocate_zeros) == CURLE_OK;
}

}  // namespace

void start_libcurl() {
  // Never cleaned up: the end of the process does that.
  static const bool ready = initialize();
  if (!ready) throw std::bad_alloc();
}

}  // namespace rlctl
