// Files that appear whole or not at all.
#include "io/atomic_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "tools/folder.h"

using namespace rlctl;
using rlctl::test::Folder;
namespace fs = std::filesystem;

namespace {

std::ptrdiff_t files_in(const Folder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

}  // namespace

TEST_CASE("a file appears with close, under its name and with all of its bytes") {
  const Folder folder;
  AtomicFile file(folder / "out");
  file.write("one ");
  file.write(std::string(100'000, 'x'));
  CHECK_FALSE(fs::exists(folder / "out"));
  file.close();
  CHECK(folder.read("out") == "one " + std::string(100'000, 'x'));
  CHECK(files_in(folder) == 1);
  file.close();  // once more: nothing happens
  CHECK(files_in(folder) == 1);
}

TEST_CASE("without close the old file stays, and nothing is left behind") {
  const Folder folder;
  folder.write("out", "old");
  {
    AtomicFile file(folder / "out");
    file.write("new");
  }
  CHECK(folder.read("out") == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("two writers of one file do not mix: the last to close wins") {
  const Folder folder;
  AtomicFile first(folder / "out");
  AtomicFile second(folder / "out");
  first.write("first");
  second.write("second");
  second.close();
  CHECK(folder.read("out") == "second");
  first.close();
  CHECK(folder.read("out") == "first");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a file that is replaced keeps its modes, a new one has those of the umask") {
  const Folder folder;
  const auto modes_of = [&](const char* name) { return fs::status(folder / name).permissions(); };
  const auto mine = fs::perms::owner_read | fs::perms::owner_write;
  folder.write("old", "secret");
  fs::permissions(folder / "old", mine);
  folder.write("like", "");
  for (const char* name : {"old", "new"}) {
    AtomicFile file(folder / name);
    file.write("more");
    file.close();
  }
  CHECK(modes_of("old") == mine);
  CHECK(modes_of("new") == modes_of("like"));
  CHECK(folder.read("old") == "more");
}

TEST_CASE("a kill leaves nothing behind") {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(folder / "out");
    file.write("half");
    raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(files_in(folder) == 0);
}

TEST_CASE("what takes long can be read while it grows, and stays after a kill") {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(folder / "out", AtomicFile::While::readable);
    file.write("half");
    raise(SIGKILL);
  }
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(folder.read("out.partial") == "half");
  { AtomicFile idle(folder / "out", AtomicFile::While::readable); }
  CHECK(folder.read("out.partial") == "half");
  AtomicFile file(folder / "out", AtomicFile::While::readable);
  AtomicFile other(folder / "out", AtomicFile::While::readable);
  file.write("the whole");
  other.write("of another one");
  CHECK(folder.read("out.partial") == "the whole");
  file.cut_to(4);
  file.write("rest");
  file.close();
  CHECK(folder.read("out") == "the rest");
  other.close();
  CHECK(folder.read("out") == "of another one");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a symbolic link stays one, and its target is replaced") {
  const Folder folder;
  folder.write("target", "old");
  fs::create_symlink(folder / "target", folder / "link");
  AtomicFile file(folder / "link");
  CHECK(file.path() == folder / "target");
  file.write("new");
  file.close();
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(folder.read("target") == "new");
}

TEST_CASE("what is not a regular file is written directly") {
  AtomicFile null("/dev/null");
  null.write("gone");
  null.close();
  CHECK(fs::is_character_file("/dev/null"));
  AtomicFile full("/dev/full");
  CHECK_THROWS_AS(full.write("no room"), Error);
}

TEST_CASE("a path that can't be written is an error at once") {
  const Folder folder;
  try {
    AtomicFile file(folder / "none/out");
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::report);
    CHECK(std::string(error.what()).ends_with("none/out': No such file or directory"));
  }
}
