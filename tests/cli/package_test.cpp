// The Debian package: it is built, and every file is where Debian expects it.
#include <doctest/doctest.h>

#include <filesystem>

#include "cli/support/process.h"
#include "tools/folder.h"

namespace {

namespace fs = std::filesystem;

// Packs the build into a temporary folder.
class Package {
 public:
  Package() {
    const Outcome packed = run_program(
        "cpack", {"--config", RLCTL_BUILD_DIR "/CPackConfig.cmake", "-B", folder_.path()});
    CAPTURE(packed.out);
    CAPTURE(packed.err);
    REQUIRE(packed.exit == 0);
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().extension() == ".deb") file_ = entry.path();
    REQUIRE_FALSE(file_.empty());
  }

  std::string name() const { return file_.filename().string(); }
  std::string field(const std::string& name) const {
    return run_program("dpkg-deb", {"-f", file_.string(), name}).out;
  }
  std::string listing() const { return run_program("dpkg-deb", {"-c", file_.string()}).out; }
  fs::path unpacked() const {
    CHECK(run_program("dpkg-deb", {"-x", file_.string(), folder_ / "root"}).exit == 0);
    return folder_ / "root";
  }

 private:
  rlctl::test::Folder folder_;
  fs::path file_;
};

// The line of `listing` that ends in this path.
std::string line_of(const std::string& listing, const std::string& path) {
  const std::size_t end = listing.find(" ./" + path + "\n");
  if (end == std::string::npos) return {};
  const std::size_t begin = listing.rfind('\n', end) + 1;
  return listing.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("the Debian package holds rlctl's files where Debian expects them") {
  const Package package;
  CHECK(package.name().starts_with("rlctl_0.1.0_"));
  CHECK(contains(package.field("Depends"), "libhiredis"));
  CHECK(contains(package.field("Depends"), "libevent"));
  CHECK(contains(package.field("Depends"), "lua-cjson"));
  CHECK(contains(package.field("Recommends"), "redis-server"));
  CHECK(contains(package.field("Description"), "proves that a rate limiter holds"));
  const std::string listing = package.listing();
  for (const std::string path :
       {"usr/share/rlctl/lua/sliding-list.lua", "usr/share/rlctl/lua/specimens/get-then-incr.lua",
        "usr/share/rlctl/scenarios/holds/sliding-list.json",
        "usr/share/rlctl/scenarios/breaks/fixed-edge.json",
        "usr/share/rlctl/scenarios/scenario.schema.json",
        "usr/share/rlctl/schema/bench.schema.json", "usr/share/rlctl/schema/verify.schema.json",
        "usr/share/bash-completion/completions/rlctl", "usr/share/zsh/vendor-completions/_rlctl",
        "usr/share/fish/vendor_completions.d/rlctl.fish", "usr/share/man/man1/rlctl.1.gz",
        "usr/share/doc/rlctl/copyright", "usr/share/doc/rlctl/chart.js.copyright",
        "usr/share/doc/rlctl/README.md"}) {
    CAPTURE(path);
    CHECK(line_of(listing, path).starts_with("-rw-r--r-- root/root"));
  }
  CHECK(line_of(listing, "usr/bin/rlctl").starts_with("-rwxr-xr-x root/root"));
  CHECK(line_of(listing, "usr/share/rlctl/").starts_with("drwxr-xr-x root/root"));
}

TEST_CASE("rlctl unpacked from the Debian package runs, completes and explains itself") {
  const Package package;
  const fs::path root = package.unpacked();
  const Outcome version = run_program((root / "usr/bin/rlctl").string(), {"--version"});
  CHECK(version.exit == 0);
  CHECK(version.out.starts_with("rlctl 0.1.0\n"));
  const std::string page = (root / "usr/share/man/man1/rlctl.1.gz").string();
  CHECK(run_program("gzip", {"-dc", page}).out == run_rlctl({"man"}).out);
  const Outcome scenario =
      run_rlctl({"run", (root / "usr/share/rlctl/scenarios/holds/sliding-list.json").string()});
  CHECK(scenario.exit == 0);
}
