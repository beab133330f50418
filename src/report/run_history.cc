#include "report/run_history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/progress.h"

namespace dragoman::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = "log.jsonl";
constexpr const char* kStopped = "asked to stop";  // the reason that the trainer gives

std::string kind_of(const Json& line) { return text(line, "kind"); }

}  // namespace

const char* state_name(RunState state) {
  switch (state) {
    case RunState::running: return "running";
    case RunState::finished: return "finished";
    case RunState::stopped: return "stopped";
    case RunState::failed: return "failed";
    case RunState::interrupted: return "interrupted";
  }
  return "";
}

RunHistory::RunHistory(const std::string& log_path, bool is_live) {
  std::vector<Json> lines = read_log(log_path);
  const std::vector<double> elapsed = elapsed_seconds(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i]["elapsed"] = elapsed[i];
    add(std::move(lines[i]));
  }
  for (const auto& [key, value] : object_at(start(), "settings").items())
    settings.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  // Logs of earlier versions have no settings.
  if (settings.empty()) settings = read_settings((fs::path(log_path).parent_path() / "config.yaml").string());
  if (end.is_null())
    state = is_live ? RunState::running : RunState::interrupted;
  else if (kind_of(end) == "failure")
    state = RunState::failed;
  else
    state = text(end, "reason") == kStopped ? RunState::stopped : RunState::finished;
}

void RunHistory::add(Json line) {
  const std::string kind = kind_of(line);
  if (kind != "data") {
    newest = line;
    newest.erase("samples");
  }
  if (kind == "start") {
    end = nullptr;
    starts.push_back(std::move(line));
  } else if (kind == "train") {
    train.push_back(std::move(line));
  } else if (kind == "validation") {
    validation.push_back(std::move(line));
  } else if (kind == "remark") {
    remarks.push_back(std::move(line));
  } else if (kind == "end" || kind == "failure") {
    end = std::move(line);
  } else if (kind == "data") {
    data = std::move(line);
  }
}

const Json& RunHistory::start() const {
  static const Json none = Json::object();
  return starts.empty() ? none : starts.back();
}

const Json* RunHistory::best() const {
  const auto found = std::find_if(validation.rbegin(), validation.rend(),
                                  [](const Json& line) { return line.contains("best") && line["best"] == true; });
  return found == validation.rend() ? nullptr : &*found;
}

double RunHistory::seconds() const {
  const double logged = number(newest, "elapsed").value_or(0);
  return end.is_object() ? number(end, "seconds").value_or(logged) : logged;
}

std::string RunHistory::describe_state() const {
  const std::string time = newest.is_object() ? text(newest, "time") : "";
  std::string words = state_name(state);
  if (!time.empty())
    words += (state == RunState::running || state == RunState::interrupted ? "; last news " : " on ") + show_time(time);
  if (state == RunState::finished) words += ": " + text(end, "reason");
  if (state == RunState::failed) words += ": " + text(end, "words");
  if (state == RunState::interrupted) words += "; no process is training now";
  return words;
}

std::string count_at(const Json& line, const std::string& key) {
  return with_commas(static_cast<std::int64_t>(number(line, key).value_or(0)));
}

std::string find_log(const std::string& run) {
  if (fs::is_regular_file(run)) return run;
  check(fs::is_directory(run), "{}: there is no such folder; expected the output folder of `dragoman train`", run);
  const std::string path = run + "/" + kLog;
  check(fs::exists(path),
        "{}: there is no {}; expected the output folder of a neural model that `dragoman train` began", run, kLog);
  return path;
}

RunHistory history_of(const std::string& run) {
  const std::string log = find_log(run);
  RunHistory history(log, is_training(log));
  check(!history.starts.empty() || !history.train.empty() || !history.validation.empty(),
        "{}: is not the log of a training run; expected the output folder of `dragoman train`", log);
  return history;
}

bool is_training(const std::string& log_path) {
  const std::string lock = (fs::absolute(log_path).parent_path() / "lock").string();
  const int file = open(lock.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_free = flock(file, LOCK_SH | LOCK_NB) == 0;
  close(file);
  return !is_free;
}

std::vector<double> elapsed_seconds(const std::vector<Json>& log) {
  std::vector<double> seconds;
  double sum = 0, tokens = 0;
  for (const Json& line : log) {
    const double speed = number(line, "tokens_per_second").value_or(0), now = number(line, "tokens").value_or(tokens);
    if (const auto logged = number(line, "elapsed")) {
      sum = *logged;
      tokens = now;
    } else if (speed > 0) {
      sum += std::max(0.0, now - tokens) / speed;
      tokens = now;
    } else if (kind_of(line) == "validation") {
      sum += number(line, "seconds").value_or(0);
    }
    seconds.push_back(sum);
  }
  return seconds;
}

std::vector<std::pair<std::string, std::string>> read_settings(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> found;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || line[0] == ' ' || colon == std::string::npos) continue;
    std::string value = line.substr(colon + 2);
    value.erase(std::min(value.find(" #"), value.size()));
    value.erase(value.find_last_not_of(' ') + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    found.emplace_back(line.substr(0, colon), value);
  }
  return found;
}

std::string show_time(const std::string& iso) {
  const std::size_t minutes = std::string_view("2026-11-16T08:30").size();
  if (iso.size() < minutes) return iso;
  std::string text = iso.substr(0, minutes);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text + " UTC";
}

}  // namespace dragoman::report
