// A TLS handshake with a server whose bytes are changed and cut short on the way.
#pragma once

#include <string_view>

// The input says whether certificates are checked, after how many bytes the server's end, which of
// them are changed, and what comes after them. Throws std::logic_error if the client does not end,
// or lets bytes through that nobody has agreed on.
void read_handshake(std::string_view bytes);
