#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/browser/browser.h"

namespace dragoman::browser {

// A page in Chromium that a test uses as a person does. The browser is driven through its DevTools protocol: JSON
// messages, each followed by a NUL byte, over two pipes. It reaches no other machine.
class Window {
 public:
  using Json = nlohmann::json;

  Window(int width, int height) {
    start();
    const std::string target = call("Target.createTarget", {{"url", "about:blank"}})["targetId"];
    session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
    for (const char* domain : {"Page", "Runtime", "Log", "Network", "DOM"}) call(std::string(domain) + ".enable");
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", width < 500}});
    call("Emulation.setFocusEmulationEnabled", {{"enabled", true}});
    prefer("light");
  }
  ~Window() {
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(to_browser_);
    close(from_browser_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // "light" or "dark"; nothing moves.
  void prefer(const std::string& scheme) {
    call("Emulation.setEmulatedMedia", {{"features",
                                         {{{"name", "prefers-color-scheme"}, {"value", scheme}},
                                          {{"name", "prefers-reduced-motion"}, {"value", "reduce"}}}}});
  }

  // Lets pages read and write the clipboard, for which the browser would ask.
  void allow_clipboard() {
    call("Browser.grantPermissions", {{"permissions", {"clipboardReadWrite", "clipboardSanitizedWrite"}}});
  }

  void open(const std::string& url) { call("Page.navigate", {{"url", url}}); }

  // The value of a JavaScript expression, once its promise is kept.
  Json evaluate(const std::string& expression) {
    const Json answer =
        call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
    check(!answer.contains("exceptionDetails"), "{}: {}", expression, answer.dump());
    return answer["result"].value("value", Json());
  }
  // Waits until an expression is true.
  void wait_for(const std::string& expression) {
    const auto end = Clock::now() + kPatience;
    while (evaluate(expression) != true) {
      check(Clock::now() < end, "the page never came to: {}\n{}", expression,
            evaluate("document.body.innerText").dump());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  std::string text(const std::string& selector) {
    return evaluate("document.querySelector('" + selector + "').textContent");
  }
  int count(const std::string& selector) { return evaluate("document.querySelectorAll('" + selector + "').length"); }

  void point_at(const std::string& selector) { mouse("mouseMoved", place_of(selector)); }
  void click(const std::string& selector) {
    const Json place = place_of(selector);
    for (const char* event : {"mouseMoved", "mousePressed", "mouseReleased"}) mouse(event, place);
  }
  void type(const std::string& text) { call("Input.insertText", {{"text", text}}); }
  void press(const std::string& key) {
    for (const char* event : {"keyDown", "keyUp"})
      call("Input.dispatchKeyEvent", {{"type", event}, {"key", key}, {"code", key}});
  }
  void choose_file(const std::string& selector, const std::string& file) {
    const Json root = call("DOM.getDocument")["root"]["nodeId"];
    const Json node = call("DOM.querySelector", {{"nodeId", root}, {"selector", selector}})["nodeId"];
    call("DOM.setFileInputFiles", {{"files", {file}}, {"nodeId", node}});
  }

  // Messages on the console, uncaught exceptions and problems that the browser reports, since the last call.
  std::vector<std::string> complaints() { return std::exchange(complaints_, {}); }
  // The addresses that the page asked for.
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{20};

  static int above_standard_files(int file) {
    const int copy = fcntl(file, F_DUPFD_CLOEXEC, 10);
    ::close(file);
    return copy;
  }

  // The browser reads from file 3 and writes to file 4.
  void start() {
    int in[2], out[2];
    check(pipe(in) == 0 && pipe(out) == 0, "no pipes");
    for (int* file : {&in[0], &in[1], &out[0], &out[1]}) *file = above_standard_files(*file);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], 3);
    posix_spawn_file_actions_adddup2(&files, out[1], 4);
    for (const int standard : {1, 2}) posix_spawn_file_actions_addopen(&files, standard, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, 5);  // such as sockets of a server
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<std::string> words = {find_browser(),
                                      "--headless=new",
                                      "--no-sandbox",
                                      "--disable-gpu",
                                      "--remote-debugging-pipe",
                                      "--no-first-run",
                                      "--disable-background-networking",
                                      "--disable-component-update",
                                      "--disable-dev-shm-usage",
                                      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                                      "--user-data-dir=" + folder_.file("profile")};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int failed = posix_spawnp(&process_, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    ::close(in[0]);
    ::close(out[1]);
    to_browser_ = in[1];
    from_browser_ = out[0];
    check(failed == 0, "the browser does not start: {}", std::strerror(failed));
  }

  Json call(const std::string& method, Json parameters = Json::object()) {
    Json message = {{"id", ++calls_}, {"method", method}, {"params", std::move(parameters)}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string text = message.dump();
    const auto bytes = text.size() + 1;  // the NUL byte included
    check(write(to_browser_, text.c_str(), bytes) == static_cast<ssize_t>(bytes), "the browser is gone");
    for (;;) {
      const Json answer = next_message();
      if (answer.value("id", 0) != calls_) {
        take_event(answer);
        continue;
      }
      check(answer.contains("result"), "{}: {}", method, answer.dump());
      return answer["result"];
    }
  }

  Json next_message() {
    const auto end = Clock::now() + kPatience;
    for (;;) {
      if (const std::size_t nul = received_.find('\0'); nul != std::string::npos) {
        Json message = Json::parse(received_.substr(0, nul));
        received_.erase(0, nul + 1);
        return message;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      pollfd ready{from_browser_, POLLIN, 0};
      check(left > 0 && poll(&ready, 1, static_cast<int>(left)) == 1, "the browser does not answer");
      char buffer[65536];
      const ssize_t count = read(from_browser_, buffer, sizeof buffer);
      check(count > 0, "the browser is gone");
      received_.append(buffer, static_cast<std::size_t>(count));
    }
  }

  void take_event(const Json& event) {
    const std::string method = event.value("method", "");
    if (method == "Network.requestWillBeSent") requests_.push_back(event["params"]["request"]["url"]);
    if (method == "Runtime.consoleAPICalled" || method == "Runtime.exceptionThrown" || method == "Log.entryAdded")
      complaints_.push_back(event["params"].dump());
  }

  // The middle of an element, scrolled into view.
  Json place_of(const std::string& selector) {
    return evaluate("(() => { const one = document.querySelector('" + selector +
                    "'); one.scrollIntoView({block: 'center', inline: 'center'}); const box = "
                    "one.getBoundingClientRect(); return {x: box.x + box.width / 2, y: box.y + box.height / 2}; })()");
  }
  void mouse(const char* event, const Json& place) {
    call("Input.dispatchMouseEvent",
         {{"type", event}, {"x", place["x"]}, {"y", place["y"]}, {"button", "left"}, {"clickCount", 1}});
  }

  support::TempFolder folder_;
  pid_t process_ = 0;
  int to_browser_ = -1, from_browser_ = -1, calls_ = 0;
  std::string session_, received_;
  std::vector<std::string> complaints_, requests_;
};

}  // namespace dragoman::browser
