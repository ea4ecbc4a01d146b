// The house rules. Each is a function of a file's path (relative to the top, with '/') and text. It
// returns one line per finding, "path:line: what", and nothing if the file keeps the rule. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl::house {

inline constexpr std::size_t kMostFunctionLines = 70;
inline constexpr std::size_t kMostFileLines = 600;
inline constexpr std::size_t kMostColumns = 100;
inline constexpr std::size_t kMostFolderFiles = 45;
inline constexpr std::size_t kLeastRoomCommentLines = 8;

using Findings = std::vector<std::string>;

// Includes go downhill between the rooms of src/, and are written from src/ ("log/record.h").
Findings check_includes(const std::string& path, std::string_view text);

// No two folders of src/ include each other, not even by way of others. `sources`: files of src/ by
// their paths. A finding names the folders of one circle.
Findings check_no_circles(const std::map<std::string, std::string>& sources);

// Pure rooms have no socket, event loop, Redis, coroutine, thread or clock.
Findings check_purity(const std::string& path, std::string_view text);

Findings check_function_lengths(const std::string& path, std::string_view text);
Findings check_file_length(const std::string& path, std::string_view text);
Findings check_line_lengths(const std::string& path, std::string_view text);
Findings check_header_comment(const std::string& path, std::string_view text);

// `lists`: every CMakeLists.txt by its directory ("src/limiter"), one of which must name the .cpp.
using Lists = std::map<std::string, std::string>;
Findings check_listed(const std::string& path, const Lists& lists);

// No folder is so large that its parts cannot be seen. `paths`: every file.
Findings check_room_sizes(const std::vector<std::string>& paths);

// Each room of src/ has one header that a newcomer opens first. Its comment says what the room is
// for, what it may know, what it must not know, and where to go on reading; the headers that it
// names exist. `sources`: files of src/ by their paths.
Findings check_room_headers(const std::map<std::string, std::string>& sources);

// The name of a test can be passed through CMake, which splits lists at ';' and counts brackets:
// the test would never run. And a test does not pass because a table that it reads is empty.
Findings check_test_names(const std::string& path, std::string_view text);
Findings check_test_loops(const std::string& path, std::string_view text);

// README names the header of every room, and every source file that it names exists. `paths`: every
// file.
Findings check_readme(std::string_view readme, const std::set<std::string>& paths);

// One definition of a type: `sources` are files of src/ by their paths.
Findings check_unique_types(const std::map<std::string, std::string>& sources);

}  // namespace rlctl::house
