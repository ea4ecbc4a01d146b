// A headless Chromium for a test, controlled over the WebDriver protocol through a chromedriver.
// Both end with the test. Throws std::runtime_error with the driver's message if something does not
// happen within a minute.
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

  // Runs the body of a JavaScript function ("return document.title") and returns its value.
  nlohmann::json run(const std::string& script) const;

  // Waits until the script returns true.
  void wait_until(const std::string& script) const;

  // Presses and releases the keys one after the other; WebDriver's code points (U+E004 is Tab).
  void press(const std::string& keys) const;

  // The console's new messages since the last call: errors of scripts and refusals of the CSP.
  std::vector<std::string> console() const;

  // The addresses requested since the last call.
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
