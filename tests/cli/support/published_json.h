// Holds what rlctl prints to what it promises. Throws std::runtime_error, so the test fails.
#pragma once

#include <string>

// If `text` is a result whose schema is published (`rlctl schema`), it must obey the schema. Any
// other text passes.
void check_published_json(const std::string& text);
