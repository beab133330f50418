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
  void add(const std::string& name, DType type, std::string bytes) {
    const Size count = std::ssize(bytes) / size_of(type);
    add(name, store::stored_type(type), count, std::move(bytes));
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

std::string host_bytes(const Tensor& tensor) {
  std::string bytes(tensor.bytes(), '\0');
  tensor.device().copy_to_host(bytes.data(), tensor.raw(), tensor.bytes());
  return bytes;
}

// One of the flat tensors beside the model's weights.
struct Flat {
  std::string name;
  Tensor tensor;
  const Sharding* sharding;  // null: the tensor is whole

  // Those of the file.
  std::size_t bytes() const { return sharding != nullptr ? sharding->whole_bytes(tensor) : tensor.bytes(); }
  std::string collect() const { return sharding != nullptr ? sharding->collect(tensor) : host_bytes(tensor); }
  void load(const std::string& whole) const {
    if (sharding != nullptr)
      sharding->take(whole.data(), tensor);
    else
      tensor.copy_from(whole.data());
  }
};

std::vector<Flat> flat_tensors(const Trained& trained) {
  std::vector<Flat> list;
  for (const auto& [name, tensor] : trained.optimiser.state()) list.push_back({name, tensor, trained.sharding});
  if (trained.average) list.push_back({kWeights, trained.average->tensor(), nullptr});
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
  for (const Flat& flat : flat_tensors(trained)) companions.add(flat.name, flat.tensor.dtype(), flat.collect());
  if (trained.sharding != nullptr && !trained.sharding->leads()) return;
  const std::string state = to_json(trained.state);
  companions.add(kState, "U8", std::ssize(state), state);
  store::save_model(path, info, trained.parameters, companions.tensors());
}

std::uint64_t checkpoint_bytes(const Trained& trained) {
  std::uint64_t bytes = trained.parameters.weights().bytes();
  for (const Flat& flat : flat_tensors(trained)) bytes += flat.bytes();
  return bytes;
}

void load_checkpoint(const std::string& path, const Trained& trained) {
  const store::ModelFile model(path, store::ModelFile::Configuration::unused);
  const store::SafetensorsFile& file = model.file();
  file.verify();
  const TrainState state = state_from_json(file.read(require(file, kState)), path);
  const std::vector<Flat> tensors = flat_tensors(trained);
  for (const Flat& flat : tensors) {
    const store::TensorRecord& stored = require(file, flat.name);
    const char* const type = store::stored_type(flat.tensor.dtype());
    check(stored.size == flat.bytes() && stored.type == type, "{}: '{}' has {} bytes of {}, expected {} of {}", path,
          stored.name, stored.size, stored.type, flat.bytes(), type);
  }
  const Averaged averaged(trained.average);
  model.load(trained.parameters);
  for (const Flat& flat : tensors) flat.load(file.read(require(file, flat.name)));
  trained.state = state;
}

std::string CheckpointFolder::save(const store::ModelInfo& info, const Trained& trained) const {
  const bool writes = trained.sharding == nullptr || trained.sharding->leads();
  if (writes) fs::create_directories(path_);
  const std::string path = fmt::format("{}/{:09}{}", path_, trained.state.position.updates, kExtension);
  save_checkpoint(path, info, trained);
  if (!writes) return path;
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
