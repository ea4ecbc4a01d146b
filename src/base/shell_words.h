// Words of a command line in a form that can be typed into a shell again, without secrets. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// In single quotes if a shell would change it: it's -> 'it'\\''s'.
std::string shell_word(std::string_view word);

// A URL without its user and password: redis://...@host.
std::string without_password(const std::string& word);

// A header; without its value if the name says that it is a credential.
std::string without_credential(const std::string& header);

}  // namespace rlctl
