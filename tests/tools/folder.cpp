#include "tools/folder.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace rlctl::test {

namespace fs = std::filesystem;

Folder::Folder() {
  std::string name = (fs::canonical(fs::temp_directory_path()) / "rlctl-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a test");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;  // a process that was killed just now may still write
  fs::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& bytes) const {
  const fs::path path = *this / name;
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  if (!(file << bytes).flush()) throw std::runtime_error("can't write " + path.string());
  return path.string();
}

std::string Folder::read(const std::string& name) const {
  std::ifstream file(*this / name, std::ios::binary);
  if (!file) throw std::runtime_error("can't read " + *this / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace rlctl::test
