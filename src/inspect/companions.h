// What keys say together with the other keys of their limiters (Layouts::companions_of), which a
// page of SCAN may lack. A few round trips for a page. Fails as inspect/key_state.h does. One
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/key_reading.h"
#include "inspect/key_state.h"
#include "io/redis/redis.h"

namespace rlctl {

// The reading of each key: alone, or together with the others if a layout says so.
Task<std::vector<KeyReading>> read_with_companions(Redis& redis, KeyReader& reader,
                                                   const std::vector<KeyState>& states,
                                                   KeyContext context);

// Looks what is beside each block flag that has no expiry: KeyState::beside.
Task<> look_beside_flags(Redis& redis, KeyReader& reader, std::vector<KeyState>& states,
                         KeyContext context);

// The window of each log, of which the live entries are to be counted: that which its keys tell,
// or that of the user. 0: it is no log, or nobody tells.
Task<std::vector<std::int64_t>> windows_of_logs(Redis& redis, KeyReader& reader,
                                                const std::vector<KeyState>& states,
                                                KeyContext context);

}  // namespace rlctl
