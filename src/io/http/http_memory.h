// What libcurl allocates. For every request it asks for some sixty blocks and gives them back,
// those of fifty requests at a time, which is more than malloc keeps at hand: a seventh of all that
// a request costs. Here blocks that come back are kept by size, for the next request.
//
// Each thread keeps its own, so a block may go back on another than it came from. What was needed
// at once stays until the thread ends. Under AddressSanitizer malloc does it all, and sees it all.
#pragma once

namespace rlctl {

// Initializes libcurl, once per process; must come before everything else that is asked of it. Any
// thread. Throws std::bad_alloc.
void start_libcurl();

}  // namespace rlctl
