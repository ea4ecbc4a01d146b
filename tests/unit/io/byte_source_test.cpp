// Bytes of files, packed or not.
#include "io/byte_source.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/suggest.h"
#include "tools/folder.h"

using namespace rlctl;
using rlctl::test::Folder;

namespace {

std::string packed(const std::string& text) {
  const Folder folder;
  const std::string path = folder / "x.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  CHECK(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) >= 0);
  CHECK(gzclose(file) == Z_OK);
  return folder.read("x.gz");
}

std::string all_of(const std::string& path) {
  ByteSource source(path);
  std::string text;
  for (std::string_view bytes; !(bytes = source.read()).empty();) text += bytes;
  CHECK(source.read().empty());  // the end stays the end
  return text;
}

std::string refused(const std::string& path) {
  try {
    all_of(path);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return with_hint(error.what(), error.hint());
  }
  return "nothing was thrown";
}

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i * 7'919 % 100'003) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a file is read whole, packed or not, and so is an empty one") {
  const Folder folder;
  const std::string text = many_lines();
  CHECK(all_of(folder.write("plain", text)) == text);
  CHECK(all_of(folder.write("packed", packed(text))) == text);  // by its bytes, not by its name
  CHECK(all_of(folder.write("empty", "")) == "");
  CHECK(all_of(folder.write("nothing.gz", packed(""))) == "");
}

TEST_CASE("several packed parts, as log rotation appends them, are one text") {
  const Folder folder;
  CHECK(all_of(folder.write("two.gz", packed("one\n") + packed("two\n"))) == "one\ntwo\n");
}

TEST_CASE("the size is known of a plain file, and the position moves to its end") {
  const Folder folder;
  const std::string text = many_lines();
  ByteSource plain(folder.write("plain", text));
  CHECK(plain.size_bytes() == text.size());
  while (!plain.read().empty()) {
  }
  CHECK(plain.position_bytes() == static_cast<std::int64_t>(text.size()));
  CHECK(ByteSource(folder.write("packed", packed(text))).size_bytes() == 0);
}

TEST_CASE("a packed file that was cut or changed is refused, never read in part as a whole") {
  const Folder folder;
  const std::string whole = packed(many_lines());
  for (const std::size_t part : {2U, 3U, 10U}) {
    CAPTURE(part);
    CHECK(refused(folder.write("cut.gz", whole.substr(0, whole.size() - whole.size() / part)))
              .ends_with("the file was cut short"));
  }
  std::string changed = whole;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 0x55);
  CHECK(refused(folder.write("changed.gz", changed)).find("corrupt gzip data") !=
        std::string::npos);
}

TEST_CASE("what other programs packed is named with the command that unpacks it") {
  const Folder folder;
  const std::string bzip2 = "BZh91AY&SY\xd9\xb7";
  const std::pair<const char*, std::string> beginnings[] = {
      {"xz", std::string("\xfd\x37zXZ\0\0\4", 8)}, {"bzip2", bzip2}, {"zstd", "(\xb5/\xfd\xa4@"}};
  for (const auto& [program, bytes] : beginnings) {
    CAPTURE(program);
    const std::string path = folder.write("log", bytes);
    const std::string unpacking = std::string(program) + " -dc";
    CHECK(refused(path) == "'" + path + "' is compressed with " + program +
                               "; unpack it: " + unpacking + " " + path + " | rlctl verify -");
    CHECK(refused(folder.write("log", packed(bytes))) ==
          "'" + path + "' is compressed with " + program + ", and with gzip; unpack it: gzip -dc " +
              path + " | " + unpacking + " | rlctl verify -");
  }
  const std::string twice = folder.write("log", packed(packed("one\n")));
  CHECK(refused(twice) == "'" + twice + "' is compressed with gzip twice; unpack it: gzip -dc " +
                              twice + " | rlctl verify -");
  CHECK(all_of(folder.write("log", "BZh9 is no bzip2\n")) == "BZh9 is no bzip2\n");
}

TEST_CASE("what can't be opened is an error with the system's reason") {
  const Folder folder;
  CHECK(refused(folder / "none").ends_with("none': No such file or directory"));
  CHECK(refused(folder.path()).ends_with("it is a directory"));
}
