// Words of a command line as they can be typed into a shell again, without what must not be shown.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// In single quotes where a shell would take it apart: it's -> 'it'\\''s'.
std::string shell_word(std::string_view word);

// A URL without its user and password: redis://...@host.
std::string without_password(const std::string& word);

// A header without the value, where its name says that it is a credential.
std::string without_credential(const std::string& header);

}  // namespace rlctl
