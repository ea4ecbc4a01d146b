#include "limiter/lua/bounded_heap.h"

namespace rlctl {

void BoundedHeap::serve(lua_State* lua) {
  allocate_ = lua_getallocf(lua, &allocator_);
  used_bytes_ = static_cast<std::size_t>(lua_gc(lua, LUA_GCCOUNT, 0) + 1) * 1024;
  lua_setallocf(lua, allocate, this);
}

void BoundedHeap::release(lua_State* lua) const { lua_setallocf(lua, allocate_, allocator_); }

void* BoundedHeap::allocate(void* heap, void* block, std::size_t old_size, std::size_t new_size) {
  BoundedHeap& self = *static_cast<BoundedHeap*>(heap);
  const bool grows = new_size > old_size;
  if (grows && self.running && self.used_bytes_ + (new_size - old_size) > self.most_bytes)
    return nullptr;
  void* const result = self.allocate_(self.allocator_, block, old_size, new_size);
  if (result != nullptr || new_size == 0) self.used_bytes_ += new_size - old_size;
  return result;
}

}  // namespace rlctl
