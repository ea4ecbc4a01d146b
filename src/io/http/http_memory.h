// The allocator for libcurl. For every request libcurl allocates about sixty blocks and frees them,
// for fifty requests at a time. That is more than malloc keeps ready, and costs a seventh of the
// CPU time of a request. This allocator keeps freed blocks by size for the next request.
//
// Each thread keeps its own blocks; a block may be freed on another thread than the one that
// allocated it. The memory of the largest moment is kept until the thread ends. Under
// AddressSanitizer every block goes to malloc, so that the sanitizer sees it.
#pragma once

namespace rlctl {

// Initializes libcurl, once per process. Call it before any other libcurl function. Any thread.
// Throws std::bad_alloc.
void start_libcurl();

}  // namespace rlctl
