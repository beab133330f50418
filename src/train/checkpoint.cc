#include "train/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "base/counted.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;
constexpr const char* kExtension = ".safetensors";
constexpr const char* kState = "state";
constexpr const char* kWeights = "weights";

std::string prefixed(const std::string& name) { return store::kTrainingPrefix + name; }

// The flat tensors of a run with their bytes copied to the host.
class Companions {
 public:
  void add(const std::string& name, const Tensor& tensor) {
    std::string bytes(tensor.bytes(), '\0');
    tensor.device().copy_to_host(bytes.data(), tensor.raw(), tensor.bytes());
    add(name, store::stored_type(tensor.dtype()), tensor.count(), std::move(bytes));
  }
  void add(const std::string& name, const char* type, Size count, std::string bytes) {
    bytes_.push_back(std::make_unique<std::string>(std::move(bytes)));
    tensors_.push_back({prefixed(name), type, {count}, *bytes_.back()});
  }
  const std::vector<store::StoredTensor>& tensors() const { return tensors_; }

 private:
  std::vector<std::unique_ptr<std::string>> bytes_;
  std::vector<store::StoredTensor> tensors_;
};

// The flat tensors beside the model's weights, by name.
std::vector<std::pair<std::string, Tensor>> flat_tensors(const Trained& trained) {
  auto list = trained.optimiser.state();
  if (trained.average) list.emplace_back(kWeights, trained.average->tensor());
  return list;
}

const store::TensorRecord& require(const store::SafetensorsFile& file, const std::string& name) {
  const store::TensorRecord* const stored = file.find(prefixed(name));
  check(stored != nullptr, "{}: has no '{}': it is a plain model, or a checkpoint of a run with other settings",
        file.path(), prefixed(name));
  return *stored;
}

}  // namespace

void save_checkpoint(const std::string& path, const store::ModelInfo& info, const Trained& trained) {
  const Averaged averaged(trained.average);
  Companions companions;
  for (const auto& [name, tensor] : flat_tensors(trained)) companions.add(name, tensor);
  const std::string state = to_json(trained.state);
  companions.add(kState, "U8", std::ssize(state), state);
  store::save_model(path, info, trained.parameters, companions.tensors());
}

std::uint64_t checkpoint_bytes(const Trained& trained) {
  std::uint64_t bytes = trained.parameters.weights().bytes();
  for (const auto& [name, tensor] : flat_tensors(trained)) bytes += tensor.bytes();
  return bytes;
}

void load_checkpoint(const std::string& path, const Trained& trained) {
  const store::ModelFile model(path, store::ModelFile::Configuration::unused);
  const store::SafetensorsFile& file = model.file();
  file.verify();
  const TrainState state = state_from_json(file.read(require(file, kState)), path);
  const auto flat = flat_tensors(trained);
  for (const auto& [name, tensor] : flat) {
    const store::TensorRecord& stored = require(file, name);
    check(stored.size == tensor.bytes() && stored.type == store::stored_type(tensor.dtype()),
          "{}: '{}' has {} bytes of {}, expected {} of {}", path, stored.name, stored.size, stored.type, tensor.bytes(),
          store::stored_type(tensor.dtype()));
  }
  const Averaged averaged(trained.average);
  model.load(trained.parameters);
  for (const auto& [name, tensor] : flat) tensor.copy_from(file.read(require(file, name)).data());
  trained.state = state;
}

std::string CheckpointFolder::save(const store::ModelInfo& info, const Trained& trained) const {
  fs::create_directories(path_);
  const std::string path = fmt::format("{}/{:09}{}", path_, trained.state.position.updates, kExtension);
  save_checkpoint(path, info, trained);
  std::vector<std::string> all = list();
  while (all.back() > path) {
    fs::remove(all.back());
    all.pop_back();
  }
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep_) < all.size(); ++i) fs::remove(all[i]);
  return path;
}

void CheckpointFolder::tidy() const {
  if (!fs::is_directory(path_)) return;
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path().filename().string().find(".partial-") != std::string::npos) fs::remove(entry.path());
}

std::vector<std::string> CheckpointFolder::list() const {
  std::vector<std::string> paths;
  if (fs::is_directory(path_))
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.path().extension() == kExtension) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string CheckpointFolder::load_newest(const Trained& trained,
                                          const std::function<void(const std::string&)>& damaged) const {
  const std::vector<std::string> all = list();
  for (auto path = all.rbegin(); path != all.rend(); ++path) {
    try {
      load_checkpoint(*path, trained);
      return *path;
    } catch (const Error& error) {
      damaged(error.what());
    }
  }
  check(all.empty(), "{}: it has {}, but none of them can be used", path_, counted(all.size(), "checkpoint"));
  return "";
}

}  // namespace dragoman::train
