#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/random.h"
#include "tests/faults/process.h"

// What all scenarios share: corpora, models, commands with known results, and the table of results.
namespace dragoman::faults {

struct TortureOptions {
  bool quick = false;  // few rounds: a test of `./test`
  std::uint64_t seed = 1;
};

// One line of the table: rounds of one fault on one command.
class Row {
 public:
  Row(std::string fault, std::string subject);
  // Prints the line.
  ~Row();
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  // One round; `problem` is empty if it went well.
  void add(const std::string& problem);
  // Rounds in which the fault met the program, of all rounds; e.g. kills before its end.
  void met() { ++met_; }

  static int failures();

 private:
  std::string fault_, subject_;
  int rounds_ = 0, met_ = 0, failed_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A kind of training that is short and has the same bits every time.
struct Training {
  std::string name;
  Words words;       // of `dragoman train`, without --output
  bool checkpoints;  // whether it can be resumed; else it is started again
};

// A command that writes `output` into its folder, or prints it if `output` is empty.
struct Task {
  std::string name;
  Words words;
  std::string output = "";
  std::string input = "";  // standard input, a file of the workshop
  bool is_folder = false;  // the output
};

// A folder with corpora, trained models and the results of undisturbed commands.
class Workshop {
 public:
  explicit Workshop(const TortureOptions& options);
  // Removes the folder, unless something failed.
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const TortureOptions& options() const { return options_; }
  Random& random() { return random_; }
  // `many` rounds, or `few` if it has to be quick.
  int rounds(int many, int few) const { return options_.quick ? few : many; }

  // Paths of corpora and models, absolute.
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  // A new, empty folder for one round.
  std::filesystem::path fresh_folder();

  const std::vector<Training>& trainings() const { return trainings_; }
  // The words of a training into `output`, which is continued if it was begun.
  Words train_words(const Training& training, const std::string& output, const Words& more = {}) const;
  // What an undisturbed training makes; see trained_state().
  const std::string& expected(const Training& training);
  // Trains to the end in `folder`, from whatever is there, and compares. Returns the problem, or nothing.
  std::string finish_and_compare(const Training& training, const std::filesystem::path& folder);

  // A model for translation, trained at first use.
  const std::string& model();
  const std::vector<Task>& tasks();
  // What an undisturbed task makes.
  const std::string& expected(const Task& task);
  Launch launch(const Task& task, const std::filesystem::path& folder) const;
  // What a task made in `folder`; its output file may be missing.
  static std::string made(const Task& task, const Outcome& outcome, const std::filesystem::path& folder);

 private:
  TortureOptions options_;
  std::filesystem::path folder_;
  Random random_;
  int fresh_ = 0;
  std::vector<Training> trainings_;
  std::vector<Task> tasks_;
  std::string model_;
  std::map<std::string, std::string> expected_;
};

// The content of a file, or of all files of a folder with their names; nothing if there is none.
std::string content_of(const std::filesystem::path& path);

// Environment that loads the shim with this fault.
std::map<std::string, std::string> with_fault(const std::string& fault);

// The state at the end of a run: every tensor of the model and of the newest checkpoint, and the numbers of the
// training state, without times.
std::string trained_state(const std::filesystem::path& run);

}  // namespace dragoman::faults
