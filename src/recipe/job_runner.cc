#include "recipe/job_runner.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/bounded_json.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "data/line_reader.h"
#include "recipe/process.h"
#include "recipe/results.h"
#include "recipe/step_device.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{20};
constexpr std::size_t kShownLines = 8;  // of the log of a step that failed

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void write_record(const Job& job, std::size_t step, const StepRecord& record) {
  const Json json = {{"recorded", record.recorded},
                     {"command", record.command},
                     {"seconds", record.seconds},
                     {"finished", record.finished},
                     {"gpu", record.gpu}};
  write_text(step_file(job, step, "json"), json.dump(2) + "\n");
}

void copy_lines(const Excerpt& excerpt) {
  if (excerpt.lines == 0) return;
  data::LineReader reader(data::open_bytes(excerpt.source));
  std::string text;
  data::Line line;
  for (int number = 1; number - excerpt.first < excerpt.lines && reader.next(line); ++number)
    if (number >= excerpt.first) text.append(line.text).append("\n");
  check(!text.empty(), "{} has no line {}", excerpt.source, excerpt.first);
  write_text(excerpt.target, text);
}

// Waits for a trainer that a killed runner has left behind, which saves its last checkpoint. False if asked to stop.
bool wait_until_free(const std::string& run, Watch& watch) {
  while (fs::exists(run) && !FileLock::try_lock(run + "/lock")) {
    if (watch.stops()) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

// The path, or PATH.2, PATH.3, ... if there are such files already.
std::string unused_name(const std::string& path) {
  std::string name = path;
  for (int i = 2; fs::exists(name); ++i) name = fmt::format("{}.{}", path, i);
  return name;
}

// Puts aside what is left of a training run that cannot be continued: one of another command is renamed, one without a
// checkpoint is removed. A run that can be continued goes on, possibly with other settings of the machine; the result
// is the seconds that it has taken so far.
double clear_leftovers(const Job& job, const Step& step, const StepRecord& before, Watch& watch) {
  if (step.run.empty() || !fs::exists(step.run)) return 0;
  if (!fs::exists(step.run + "/checkpoints")) {
    fs::remove_all(step.run);
    return 0;
  }
  check(!before.recorded.empty(),
        "{} holds a training run, but the record of the command that made it is missing; remove it to train again",
        step.run);
  if (before.recorded == step.recorded) {
    const std::string changed = changes(before.command, show(step.command));
    if (!changed.empty()) watch.remark(fmt::format("{}: training goes on, {}", job.name, changed));
    return before.seconds;
  }
  const std::string old = unused_name(step.run + ".old");
  fs::rename(step.run, old);
  watch.remark(fmt::format("{}: training starts again; the run of the command before is kept in {}", job.name, old));
  return 0;
}

std::string last_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (line.find_first_not_of(" \r") != std::string::npos) lines.push_back(line.substr(line.rfind('\r') + 1));
  std::string text;
  for (std::size_t i = lines.size() - std::min(lines.size(), kShownLines); i < lines.size(); ++i)
    text += "    " + lines[i] + "\n";
  return text;
}

JobEnd failure(const Job& job, std::size_t step, int status) {
  const std::string log = step_file(job, step, "log");
  return {JobEnd::Kind::failed, fmt::format("{}: step {} of {}, {}, failed with status {}:\n  {}\n{}  {}", job.name,
                                            step + 1, job.steps.size(), job.steps[step].title, status,
                                            show(job.steps[step].command), last_lines(log), "whole log: " + log)};
}

JobEnd run_step(const Job& job, std::size_t number, Watch& watch, const std::vector<std::string>& gpus) {
  const Step& step = job.steps[number];
  if (!step.run.empty() && !wait_until_free(step.run, watch)) return {JobEnd::Kind::stopped, {}};
  const double before = clear_leftovers(job, step, read_record(job, number), watch);
  StepRecord record{step.recorded, show(step.command), before, false};
  write_record(job, number, record);
  copy_lines(step.excerpt);
  const std::string log = step_file(job, number, "log");
  if (step.run.empty()) fs::remove(log);
  const Clock::time_point start = Clock::now();
  Process process(step.command, log);
  for (; !process.ended(); std::this_thread::sleep_for(kPoll))
    if (watch.stops()) process.terminate();
  const int status = process.wait();
  record.seconds = before + seconds_since(start);
  write_record(job, number, record);
  if (status != 0) return watch.stops() ? JobEnd{JobEnd::Kind::stopped, {}} : failure(job, number, status);
  for (const std::string& file : step.makes)
    if (!fs::exists(file))
      return {JobEnd::Kind::failed, fmt::format("{}: the recipe says that this command makes {}, but it did not:\n  {}",
                                                job.name, file, show(step.command))};
  record.finished = true;
  record.gpu = gpu_used(step, gpus);
  write_record(job, number, record);
  return {};
}

}  // namespace

std::string step_file(const Job& job, std::size_t step, const std::string& extension) {
  return fmt::format("{}/steps/{}.{}", job.folder, step + 1, extension);
}

StepRecord read_record(const Job& job, std::size_t step) {
  const std::string path = step_file(job, step, "json");
  const Json json = std::filesystem::is_regular_file(path) ? parse_json_or_null<Json>(read_file(path)) : Json();
  if (!json.is_object()) return {};
  try {
    return {json.value("recorded", ""), json.value("command", ""), json.value("seconds", 0.0),
            json.value("finished", false), json.value("gpu", "")};
  } catch (const Json::exception&) {
    return {};  // a damaged record: the step is not finished
  }
}

std::size_t finished_steps(const Job& job) {
  for (std::size_t i = 0; i < job.steps.size(); ++i) {
    const StepRecord record = read_record(job, i);
    const std::vector<std::string>& makes = job.steps[i].makes;
    if (!record.finished || record.recorded != job.steps[i].recorded ||
        !std::all_of(makes.begin(), makes.end(), [](const std::string& file) { return fs::exists(file); }))
      return i;
  }
  return job.steps.size();
}

JobEnd run_steps(const Job& job, Watch& watch, const std::vector<std::string>& gpus) {
  fs::create_directories(job.folder + "/steps");
  if (!job.model.empty()) fs::create_directories(job.folder + "/tests");
  const std::size_t begin = finished_steps(job);
  const StepRecord before = read_record(job, begin);
  if (begin < job.steps.size() && !before.recorded.empty() && before.recorded != job.steps[begin].recorded)
    watch.remark(fmt::format("{}: the command of step {}, {}, has changed ({}); running again from there", job.name,
                             begin + 1, job.steps[begin].title, changes(before.recorded, job.steps[begin].recorded)));
  // Results of later steps depend on what now runs again.
  for (std::size_t i = begin + 1; i < job.steps.size(); ++i) fs::remove(step_file(job, i, "json"));
  for (std::size_t i = begin; i < job.steps.size(); ++i) {
    if (watch.stops()) return {JobEnd::Kind::stopped, {}};
    watch.on_step(job, i);
    const JobEnd end = run_step(job, i, watch, gpus);
    if (end.kind != JobEnd::Kind::finished) return end;
  }
  return {};
}

}  // namespace dragoman::recipe
