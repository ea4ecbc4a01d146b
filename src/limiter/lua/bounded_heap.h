// BoundedHeap: LuaJIT's own allocator with a limit. (Not lua_newstate: LuaJIT refuses a foreign
// allocator on x86-64 unless it was built for 64-bit references.) The limit applies only while
// `running`: nothing could catch an error when the host itself uses the interpreter. One thread.
#pragma once

#include <cstddef>
#include <lua.hpp>

namespace rlctl {

class BoundedHeap {
 public:
  // From now on the interpreter allocates here. The heap must outlive it.
  void serve(lua_State* lua);
  // Before lua_close(): the allocator frees its whole arena only if it is called directly.
  void release(lua_State* lua) const;

  std::size_t used_bytes() const { return used_bytes_; }

  std::size_t most_bytes = 0;
  bool running = false;

 private:
  static void* allocate(void* heap, void* block, std::size_t old_size, std::size_t new_size);

  lua_Alloc allocate_ = nullptr;
  void* allocator_ = nullptr;
  std::size_t used_bytes_ = 0;
};

}  // namespace rlctl
