// A folder of the test's own under the system's temporary ones; gone with it, whatever is in it.
// std::runtime_error when it can't be made or something in it can't be written or read.
#pragma once

#include <string>

namespace rlctl::test {

class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }  // without symbolic links
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  // Folders on the way are made. Returns the file's path.
  std::string write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;

 private:
  std::string path_;
};

}  // namespace rlctl::test
