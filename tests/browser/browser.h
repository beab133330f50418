#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "report/escape.h"
#include "tests/support/temp_folder.h"

// Opens pages in Chromium, without a window and without the network.
namespace dragoman::browser {

// The program to start; empty if there is none.
inline std::string find_browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (std::system(("command -v " + std::string(name) + " > /dev/null 2>&1").c_str()) == 0) return name;
  return "";
}

struct Visit {
  nlohmann::json found;  // what the probe returned
  std::string console;   // messages of the page, one per line
};

// Opens a file with these flags and returns its document after the scripts have run; messages go to the file `log`.
inline std::string dump(const std::string& file, const support::TempFolder& folder, const std::string& flags) {
  const std::string command = find_browser() +
                              " --headless=new --no-sandbox --disable-gpu --disable-background-networking"
                              " --no-first-run --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --v=0"
                              " --user-data-dir='" +
                              folder.file("profile") + "' " + flags + " --dump-dom 'file://" + file + "' 2>'" +
                              folder.file("log") + "'";
  std::string dom;
  std::FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) dom.append(buffer, count);
  pclose(pipe);
  return dom;
}

// Opens the page with a script after its own, lets this many seconds pass in the browser's clock, and returns
// document.body.dataset.found.
inline std::string look_after(const std::string& page, int seconds, const std::string& script) {
  const support::TempFolder folder;
  const std::string file = folder.write("page.html", support::read_all(page) + "<script>" + script + "</script>");
  const std::string dom = dump(file, folder, "--virtual-time-budget=" + std::to_string(1000 * seconds));
  const std::string begin = "data-found=\"";
  const std::size_t at = dom.find(begin);
  check(at != std::string::npos, "the script did not run: {}", dom.substr(0, 500));
  return dom.substr(at + begin.size(), dom.find('"', at + begin.size()) - at - begin.size());
}

// Opens the page in a frame of this width (windows have a minimum width) and runs `probe`, the body of a JavaScript
// function that returns an object.
inline Visit visit(const std::string& page, int width, const std::string& probe) {
  const support::TempFolder folder;
  const std::string probed = support::read_all(page) +
                             "<script>parent.document.body.dataset.found=JSON.stringify((() => {" + probe +
                             "})())</script>";
  const std::string frame = folder.write(
      "frame.html", "<!doctype html><meta charset='utf-8'><body><iframe style='border:0;height:900px;width:" +
                        std::to_string(width) + "px' srcdoc='" + report::escape(probed) + "'></iframe>");
  const std::string dom = dump(frame, folder, "");
  Visit result;
  std::stringstream log(support::read_all(folder.file("log")));
  for (std::string line; std::getline(log, line);)
    if (line.find(":CONSOLE") != std::string::npos) result.console += line + "\n";
  const std::string begin = "data-found=\"";
  const std::size_t at = dom.find(begin);
  check(at != std::string::npos, "the probe did not run; the browser said: {}\n{}", log.str(), dom.substr(0, 500));
  std::string json = dom.substr(at + begin.size(), dom.find('"', at + begin.size()) - at - begin.size());
  for (const auto& [entity, character] :
       {std::pair("&quot;", "\""), std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&amp;", "&")})
    for (std::size_t place; (place = json.find(entity)) != std::string::npos;)
      json.replace(place, std::string(entity).size(), character);
  result.found = nlohmann::json::parse(json);
  return result;
}

}  // namespace dragoman::browser
