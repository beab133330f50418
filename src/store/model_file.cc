#include "store/model_file.h"

namespace dragoman::store {
namespace {

constexpr const char* kFormat = "dragoman";
constexpr const char* kVersion = "1";
constexpr const char* kSourceTokenizer = "tokenizer.source";
constexpr const char* kTargetTokenizer = "tokenizer.target";
constexpr const char* kCard = "card.";

std::vector<Size> sizes_of(const Shape& shape) {
  std::vector<Size> sizes;
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  return sizes;
}

// Whether a tensor of a model file is a vocabulary or training state instead of a parameter.
bool is_companion(const std::string& name) {
  return name == kSourceTokenizer || name == kTargetTokenizer || name.starts_with(kTrainingPrefix);
}

}  // namespace

void save_model(const std::string& path, const ModelInfo& info, const nn::Parameters& parameters,
                const std::vector<StoredTensor>& training) {
  models::ModelConfig config = info.config;
  Metadata metadata = {{"format", kFormat},
                       {"version", kVersion},
                       {"config", Settings(config).dump()},
                       {"source_begin", info.source_begin ? "true" : "false"},
                       {"source_end", info.source_end ? "true" : "false"}};
  for (const auto& [key, value] : info.card) metadata[kCard + key] = value;
  std::vector<StoredTensor> tensors;
  std::vector<std::vector<char>> host;  // copies of the weights in host memory
  for (const nn::Parameters::Entry& entry : parameters.entries()) {
    const Tensor weights = parameters.weights_of(entry);
    host.emplace_back(weights.bytes());
    weights.device().copy_to_host(host.back().data(), weights.raw(), weights.bytes());
    tensors.push_back(
        {entry.name, stored_type(weights.dtype()), sizes_of(entry.shape), {host.back().data(), host.back().size()}});
  }
  for (const auto& [name, data] : {std::pair<const char*, const std::string&>{kSourceTokenizer, info.source_tokenizer},
                                   {kTargetTokenizer, info.target_tokenizer}})
    if (!data.empty()) tensors.push_back({name, "U8", {std::ssize(data)}, data});
  tensors.insert(tensors.end(), training.begin(), training.end());
  write_safetensors(path, metadata, tensors);
}

ModelFile::ModelFile(const std::string& path) : file_(path) {
  const Metadata& metadata = file_.metadata();
  const auto get = [&](const std::string& key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  check(get("format") == kFormat, "{}: is a safetensors file but not a dragoman model", path);
  check(get("version") == kVersion, "{}: is a model of version '{}'; this program reads version {}", path,
        get("version"), kVersion);
  Settings(info_.config).read_yaml(get("config"), path + ": configuration");
  info_.source_begin = get("source_begin") == "true";
  info_.source_end = get("source_end") != "false";
  for (const auto& [key, value] : metadata)
    if (key.starts_with(kCard)) info_.card[key.substr(std::string_view(kCard).size())] = value;
  if (const StoredTensor* source = file_.find(kSourceTokenizer)) info_.source_tokenizer = source->bytes;
  if (const StoredTensor* target = file_.find(kTargetTokenizer)) info_.target_tokenizer = target->bytes;
}

void ModelFile::load(nn::Parameters& parameters) const {
  for (const StoredTensor& stored : file_.tensors())
    check(is_companion(stored.name) || parameters.find(stored.name) != nullptr,
          "{}: contains a tensor '{}' that does not belong to its configuration", file_.path(), stored.name);
  for (const nn::Parameters::Entry& entry : parameters.entries()) {
    const StoredTensor* stored = file_.find(entry.name);
    check(stored != nullptr, "{}: the tensor '{}' is missing", file_.path(), entry.name);
    const Tensor weights = parameters.weights_of(entry);
    check(stored->shape == sizes_of(entry.shape) && stored->type == stored_type(weights.dtype()),
          "{}: the tensor '{}' is {} with {} bytes, expected {} {}", file_.path(), entry.name, stored->type,
          stored->bytes.size(), stored_type(weights.dtype()), entry.shape);
    weights.copy_from(stored->bytes.data());
  }
  parameters.refresh();
}

}  // namespace dragoman::store
