// A temporary folder for a test. It is deleted with its contents at the end. Throws
// std::runtime_error if it can't be created, or if a file in it can't be written or read.
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

  // Creates the folders on the way. Returns the file's path.
  std::string write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;

 private:
  std::string path_;
};

}  // namespace rlctl::test
