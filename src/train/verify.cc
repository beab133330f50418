#include "train/verify.h"

#include <filesystem>

#include "base/counted.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

// A folder that the destructor removes.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) { fs::remove_all(path_); }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void train_until(Trainer& trainer, std::uint64_t update) {
  trainer.train([&] { return trainer.state().position.updates >= update; });
}

std::string last_checkpoint(const std::string& output) {
  return CheckpointFolder(output + "/checkpoints", 2).list().back();
}

TrainState state_in(const store::SafetensorsFile& file) {
  TrainState state = state_from_json(file.read(*file.find("train.state")), file.path());
  state.seconds = 0;
  return state;
}

}  // namespace

std::size_t verify_resume(const MakeRun& make, const std::string& folder, std::uint64_t updates) {
  const TemporaryFolder straight(folder + "/verify-straight"), interrupted(folder + "/verify-interrupted");
  train_until(*make(straight.path()).trainer, updates);
  train_until(*make(interrupted.path()).trainer, updates / 2);
  const FreshRun again = make(interrupted.path());
  check(again.trainer->resume(), "{}: there is no checkpoint to resume from", interrupted.path());
  train_until(*again.trainer, updates);

  const store::SafetensorsFile one(last_checkpoint(straight.path())), two(last_checkpoint(interrupted.path()));
  std::size_t compared = 0;
  check(one.tensors().size() == two.tensors().size(), "the two runs saved {} and {} tensors", one.tensors().size(),
        two.tensors().size());
  for (const store::TensorRecord& tensor : one.tensors()) {
    if (tensor.name == "train.state") continue;
    const store::TensorRecord* const other = two.find(tensor.name);
    check(other != nullptr && two.read(*other) == one.read(tensor),
          "the resumed run differs from the uninterrupted one: '{}' after {}", tensor.name, counted(updates, "update"));
    compared += tensor.size;
  }
  check(state_in(one) == state_in(two), "the state of the resumed run differs from that of the uninterrupted one");
  return compared;
}

}  // namespace dragoman::train
