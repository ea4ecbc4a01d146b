// A headless Chromium, driven over the WebDriver protocol by a chromedriver of the test's own. Both
// are gone with it. std::runtime_error, with what the driver said, when something does not come
// about within a minute.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tools/folder.h"

namespace rlctl::test {

class Browser {
 public:
  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open(const std::string& url);

  // The value of a JavaScript function's body ("return document.title").
  nlohmann::json run(const std::string& script) const;

  // Waits until the script says true.
  void wait_until(const std::string& script) const;

  // Pressed and released, one after the other; WebDriver's code points (U+E004 is Tab).
  void press(const std::string& keys) const;

  // What came to the console since the last call: errors of scripts and refusals of the CSP.
  std::vector<std::string> console() const;

  // The addresses that were asked for since the last call.
  std::vector<std::string> requests() const;

  // A command of Chromium's DevTools.
  nlohmann::json command(const std::string& name, const nlohmann::json& parameters) const;

  const Folder& folder() const { return folder_; }

 private:
  void start_driver();
  void open_session();
  void stop();
  nlohmann::json call(const std::string& method, const std::string& path,
                      const nlohmann::json& body) const;
  nlohmann::json log(const std::string& kind) const;

  Folder folder_;
  pid_t driver_ = -1;
  std::string driver_url_;
  std::string session_;
};

}  // namespace rlctl::test
