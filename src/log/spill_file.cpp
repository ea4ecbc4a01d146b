#include "log/spill_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/escape.h"
#include "io/environment.h"

namespace rlctl {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& folder, int code) {
  throw Error(
      Exit::target,
      "can't " + what + " a temporary file in " + in_quotes(folder) + ": " + std::strerror(code),
      "set TMPDIR to a folder with enough space, or give --memory more");
}

// Some file systems have no files without a name: there its name is removed at once.
int open_in(const std::string& folder) {
  const int unnamed = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return unnamed;
  std::string name = folder + "/rlctl-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

SpillFile::~SpillFile() {
  if (file_ >= 0) close(file_);
}

ByteStore::Extent SpillFile::put(std::string_view bytes) {
  if (file_ < 0) {
    folder_ = environment_variable("TMPDIR").value_or("/tmp");
    file_ = open_in(folder_);
    if (file_ < 0) fail("make", folder_, errno);
  }
  const Extent extent{size_, bytes.size()};
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_, bytes.data(), bytes.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write", folder_, written < 0 ? errno : ENOSPC);
    size_ += written;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return extent;
}

std::string SpillFile::get(const Extent& extent) const {
  std::string bytes(extent.size, '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = pread(file_, bytes.data() + done, bytes.size() - done,
                              extent.at + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read", folder_, got < 0 ? errno : EIO);
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace rlctl
