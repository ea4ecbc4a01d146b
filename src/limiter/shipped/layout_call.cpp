#include "limiter/shipped/layout_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/text.h"
#include "limiter/shipped/embedded.h"

namespace rlctl {
namespace {

struct LayoutLine {
  std::string_view name;
  std::string_view value;
};

LayoutLine layout_line(std::string_view line) {
  const auto equals = std::min(line.find('='), line.size());
  return {trimmed(line.substr(0, equals)),
          trimmed(line.substr(std::min(equals + 1, line.size())), kBlanksAndLineEnds)};
}

// Of one version of the script.
struct Call {
  ScriptReads gives;
  std::string lines;
};

struct LibraryCalls {
  std::string shared;
  std::vector<Call> versions;
};

constexpr std::string_view kOfVersion[] = {"keys", "args", "reply", "setup", "finish"};

void add_line(const LayoutLine& line, LibraryCalls& calls) {
  const std::string text = fmt::format("{} = {}\n", line.name, line.value);
  if (line.name == "clock" || line.name == "contract") calls.shared += text;
  if (line.name == "approximate") calls.shared.clear();
  if (line.name == "keys") calls.versions.emplace_back();
  if (std::ranges::find(kOfVersion, line.name) == std::end(kOfVersion)) return;
  Call& call = calls.versions.back();
  call.lines += text;
  if (line.name == "keys") call.gives.keys = split(line.value, ',').size();
  if (line.name == "args") call.gives.args = split(line.value, ',').size();
}

// use(layout, line) for each line of each layout.
template <typename Use>
void for_each_layout_line(Use use) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with("layouts/")) continue;
    std::string layout;
    for (const std::string& text : split(file.text, '\n')) {
      const LayoutLine line = layout_line(text);
      if (line.name == "name") layout = line.value;
      use(layout, line);
    }
  }
}

// The first of the layouts of one library has its calls; the others are other names of its keys.
LibraryCalls calls_of(std::string_view name) {
  LibraryCalls calls;
  int layouts = 0;
  for_each_layout_line([&](const std::string& layout, const LayoutLine& line) {
    if (layout == name && line.name == "name") ++layouts;
    if (layout == name && layouts == 1) add_line(line, calls);
  });
  return calls;
}

[[noreturn]] void refuse_layout(const std::string& name) {
  const std::vector<std::string> known = layouts_with_call();
  const std::string guess = did_you_mean(name, known);
  throw Error(Exit::usage, "as: it is not known how " + in_quotes(name) + " calls its script",
              guess.empty() ? "known are " + joined(known) +
                                  "; of others, give keys, args and reply in a manifest"
                            : guess);
}

std::string in_words(const ScriptReads& numbers) {
  return counted(static_cast<std::int64_t>(numbers.keys), "key") + " and " +
         counted(static_cast<std::int64_t>(numbers.args), "argument");
}

}  // namespace

std::vector<std::string> layouts_with_call() {
  std::vector<std::string> names;
  for_each_layout_line([&](const std::string& layout, const LayoutLine& line) {
    if (line.name == "keys" && (names.empty() || names.back() != layout)) names.push_back(layout);
  });
  return names;
}

std::string layout_call(const std::string& name, const ScriptReads& reads, bool is_base) {
  const LibraryCalls calls = calls_of(name);
  if (calls.versions.empty()) refuse_layout(name);
  const auto fitting = std::ranges::find(calls.versions, reads, &Call::gives);
  if (fitting != calls.versions.end()) return calls.shared + fitting->lines;
  if (is_base) return calls.shared + calls.versions.front().lines;
  std::vector<std::string> given;
  for (const Call& call : calls.versions) given.push_back(in_words(call.gives));
  throw Error(Exit::usage,
              fmt::format("as: the script reads {}, and {} gives {}", in_words(reads), name,
                          joined(given, ", or ")),
              "take the script that decides; of another version, give its keys and args in a "
              "manifest, too");
}

}  // namespace rlctl
