#include "browser/browser.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

namespace rlctl::test {
namespace {

using Json = nlohmann::json;
constexpr auto kPatience = std::chrono::seconds(60);

template <typename Ready>
void wait_for(const char* what, Ready ready) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!ready()) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error(std::string("in a minute there was no ") + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::size_t collect(char* bytes, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(bytes, size * count);
  return size * count;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The driver; it ends with the test in every case.
[[noreturn]] void exec_driver(const std::string& output) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  execlp("chromedriver", "chromedriver", "--port=0", nullptr);
  _exit(127);
}

// No option that uses the network, and none that needs a display or another user.
Json arguments(const Folder& folder) {
  return {"--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--disable-dev-shm-usage",
          "--no-first-run",
          "--no-default-browser-check",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--disable-extensions",
          "--metrics-recording-only",
          "--window-size=1200,900",
          "--user-data-dir=" + folder / "profile"};
}

}  // namespace

Browser::Browser() {
  try {
    start_driver();
    open_session();
  } catch (...) {
    stop();
    throw;
  }
}

Browser::~Browser() {
  try {
    if (!session_.empty()) call("DELETE", "", nullptr);
  } catch (const std::exception&) {
    session_.clear();  // it is ended by the signal below
  }
  stop();
}

// All of its processes: they have their own session.
void Browser::stop() {
  if (driver_ > 0) {
    kill(-driver_, SIGTERM);
    const auto gone = [this] { return waitpid(driver_, nullptr, WNOHANG) == driver_; };
    try {
      wait_for("end of chromedriver", gone);
    } catch (const std::exception&) {
      kill(-driver_, SIGKILL);
      waitpid(driver_, nullptr, 0);
    }
    kill(-driver_, SIGKILL);
  }
}

void Browser::start_driver() {
  const std::string output = folder_ / "driver.log";
  driver_ = fork();
  if (driver_ == 0) exec_driver(output);
  const std::string sign = "started successfully on port ";
  std::string said;
  wait_for("chromedriver", [&] {
    said = contents(output);
    if (waitpid(driver_, nullptr, WNOHANG) == driver_) {
      driver_ = -1;
      throw std::runtime_error("chromedriver did not start: is chromium-driver installed? " + said);
    }
    const std::size_t at = said.find(sign);
    return at != std::string::npos && said.find('.', at) != std::string::npos;
  });
  driver_url_ =
      "http://127.0.0.1:" + std::to_string(std::stoi(said.substr(said.find(sign) + sign.size())));
}

void Browser::open_session() {
  const Json capabilities{{"goog:chromeOptions", {{"args", arguments(folder_)}}},
                          {"goog:loggingPrefs", {{"browser", "ALL"}, {"performance", "ALL"}}}};
  const Json value = call("POST", "/session", {{"capabilities", {{"alwaysMatch", capabilities}}}});
  session_ = "/session/" + value.at("sessionId").get<std::string>();
}

Json Browser::call(const std::string& method, const std::string& path, const Json& body) const {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                 &curl_easy_cleanup);
  const std::string url = driver_url_ + session_ + path;
  const std::string sent = body.is_null() ? "" : body.dump();
  std::string got;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, method.c_str());
  if (!body.is_null()) curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, sent.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, 180L);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &collect);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &got);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) throw std::runtime_error(url + ": " + curl_easy_strerror(code));
  const Json answer = Json::parse(got, nullptr, false);
  if (!answer.is_object() || !answer.contains("value"))
    throw std::runtime_error(url + ": " + got.substr(0, 500));
  const Json& value = answer.at("value");
  if (value.is_object() && value.contains("error"))
    throw std::runtime_error(path + ": " + value.dump().substr(0, 1'000));
  return value;
}

void Browser::open(const std::string& url) { call("POST", "/url", {{"url", url}}); }

Json Browser::run(const std::string& script) const {
  return call("POST", "/execute/sync", {{"script", script}, {"args", Json::array()}});
}

void Browser::wait_until(const std::string& script) const {
  wait_for(script.c_str(), [&] { return run(script) == true; });
}

void Browser::press(const std::string& keys) const {
  const Json pause =
      Json::array({{{"type", "keyDown"}, {"value", keys}}, {{"type", "keyUp"}, {"value", keys}}});
  call("POST", "/actions",
       {{"actions", {{{"type", "key"}, {"id", "keyboard"}, {"actions", pause}}}}});
}

Json Browser::log(const std::string& kind) const {
  return call("POST", "/se/log", {{"type", kind}});
}

std::vector<std::string> Browser::console() const {
  std::vector<std::string> messages;
  for (const Json& entry : log("browser")) messages.push_back(entry.at("message"));
  return messages;
}

std::vector<std::string> Browser::requests() const {
  std::vector<std::string> addresses;
  for (const Json& entry : log("performance")) {
    const Json message = Json::parse(entry.at("message").get<std::string>()).at("message");
    if (message.at("method") == "Network.requestWillBeSent")
      addresses.push_back(message.at("params").at("request").at("url"));
  }
  return addresses;
}

Json Browser::command(const std::string& name, const Json& parameters) const {
  return call("POST", "/goog/cdp/execute", {{"cmd", name}, {"params", parameters}});
}

}  // namespace rlctl::test
