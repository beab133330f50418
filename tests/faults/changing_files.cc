#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "tests/faults/scenarios.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

// What happens to a file while a process uses it.
struct Change {
  std::string name;
  std::function<void(const fs::path&)> apply;
  bool in_place;  // the bytes that the process sees change; else it still has the old file
};

const Change kChanges[] = {
    {"replaced",
     [](const fs::path& path) {
       write_file(path.string() + ".new", "another file\n");
       fs::rename(path.string() + ".new", path);
     },
     false},
    {"removed", [](const fs::path& path) { fs::remove(path); }, false},
    {"truncated", [](const fs::path& path) { fs::resize_file(path, fs::file_size(path) / 3); }, true},
    {"emptied", [](const fs::path& path) { fs::resize_file(path, 0); }, true},
};

// The writing end of a pipe to a process.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) std::abort();
  }
  ~Pipe() {
    for (const int end : ends_)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading_end() const { return ends_[0]; }
  // The pipe must have room: these are a few lines.
  void write(const std::string& text) {
    if (::write(ends_[1], text.data(), text.size()) < 0) return;  // the reader is gone
  }
  void finish() { close(std::exchange(ends_[1], -1)); }

 private:
  int ends_[2] = {-1, -1};
};

void wait_until(Process& process, const std::function<bool()>& condition) {
  for (int i = 0; i < 20'000 && process.is_running() && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Changes the model between two lines of the input.
void change_model(Workshop& shop, const Change& change) {
  const Task task{"translate", {"translate", "--model", shop.model(), "--threads", "1"}, "", shop.file("c.test.en")};
  const std::string& whole = shop.expected(Task{"translate to stdout", task.words, "", task.input});
  const std::string lines = read_file(task.input);
  const std::size_t first = lines.find('\n') + 1;
  Row row("file " + change.name, "model of translate");
  for (int i = shop.rounds(5, 1); i > 0; --i) {
    const fs::path folder = shop.fresh_folder();
    fs::copy_file(shop.model(), folder / "model");
    Pipe pipe;
    Process process({.words = {"translate", "--model", "model", "--threads", "1"},
                     .folder = folder,
                     .environment = {},
                     .input_descriptor = pipe.reading_end()});
    pipe.write(lines.substr(0, first));
    wait_until(process, [&] { return process.output().find('\n') != std::string::npos; });
    if (process.is_running()) row.met();
    change.apply(folder / "model");
    pipe.write(lines.substr(first));
    pipe.finish();
    const Outcome outcome = process.wait();
    const bool right = (outcome.succeeded() && outcome.out == whole) || (change.in_place && outcome.refused());
    row.add(right ? "" : outcome.succeeded() ? "the translations differ" : outcome.describe());
  }
}

// Changes a corpus or its token cache while a model is trained on it. With the files as they were, training goes on,
// and to the same end.
void change_data(Workshop& shop, const Change& change, const std::string& what, const std::string& extension) {
  Training training = shop.trainings()[0];
  std::replace(training.words.begin(), training.words.end(), shop.file("c.train.en"), std::string("own.en"));
  training.name = "transformer on its own corpus";
  training.words.insert(training.words.end(), {"--log", "5u"});
  Row row("file " + change.name, what + " of train");
  for (int i = shop.rounds(5, 1); i > 0; --i) {
    const fs::path folder = shop.fresh_folder();
    fs::copy_file(shop.file("c.train.en"), folder / "own.en");
    Process process({.words = shop.train_words(training, "run"), .folder = folder, .environment = {}});
    wait_until(process, [&] { return read_file(folder / "run/log.jsonl").find("\"train\"") != std::string::npos; });
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!entry.path().filename().string().starts_with("own.en") || !entry.path().string().ends_with(extension))
        continue;
      change.apply(entry.path());
      if (process.is_running()) row.met();
      break;
    }
    const Outcome outcome = process.wait();
    std::string problem = outcome.succeeded() || outcome.refused() ? "" : outcome.describe();
    fs::copy_file(shop.file("c.train.en"), folder / "own.en", fs::copy_options::overwrite_existing);
    const Outcome end = run({.words = shop.train_words(training, "run"), .folder = folder, .environment = {}});
    if (problem.empty() && !end.succeeded()) problem = "training did not go on: " + end.describe();
    if (problem.empty() && trained_state(folder / "run") != shop.expected(shop.trainings()[0]))
      problem = "the final state differs";
    row.add(problem);
  }
}

}  // namespace

void change_files(Workshop& shop) {
  for (const Change& change : kChanges) {
    change_model(shop, change);
    if (shop.options().quick && change.name != "truncated") continue;
    change_data(shop, change, "corpus", "own.en");
    change_data(shop, change, "token cache", ".tokens");
  }
}

}  // namespace dragoman::faults
