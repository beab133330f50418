#include "store/model_file.h"

#include <set>

#include "base/quote.h"
#include "models/classifier.h"
#include "models/seq2seq.h"
#include "store/checksum.h"

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

template <class IsParameter>
void check_no_others(const SafetensorsFile& file, IsParameter is_parameter) {
  for (const TensorRecord& tensor : file.tensors())
    check(is_companion(tensor.name) || is_parameter(tensor.name),
          "{}: contains a tensor '{}' that does not belong to its configuration", file.path(), excerpt(tensor.name));
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

ModelFile::ModelFile(const std::string& path, Configuration configuration) : file_(path) {
  const Metadata& metadata = file_.metadata();
  const auto get = [&](const std::string& key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  check(get("format") == kFormat, "{}: is a safetensors file but not a dragoman model", path);
  check(get("version") == kVersion, "{}: is a model of version '{}'; this program reads version {}", path,
        excerpt(get("version")), kVersion);
  Settings(info_.config).read_yaml(get("config"), path + ": configuration");
  if (configuration == Configuration::compared) check_configuration();
  info_.source_begin = get("source_begin") == "true";
  info_.source_end = get("source_end") != "false";
  for (const auto& [key, value] : metadata)
    if (key.starts_with(kCard)) info_.card[key.substr(std::string_view(kCard).size())] = value;
  if (const TensorRecord* source = file_.find(kSourceTokenizer)) info_.source_tokenizer = file_.read(*source);
  if (const TensorRecord* target = file_.find(kTargetTokenizer)) info_.target_tokenizer = file_.read(*target);
}

const TensorRecord& ModelFile::stored(const std::string& name, const Shape& shape) const {
  const TensorRecord* const tensor = file_.find(name);
  check(tensor != nullptr, "{}: the tensor '{}' is missing", file_.path(), name);
  check(tensor->shape == sizes_of(shape), "{}: the tensor '{}' has {} bytes of {} and another shape than {}",
        file_.path(), name, tensor->size, excerpt(tensor->type), shape);
  return *tensor;
}

// Declares the parameters of a model and compares each with the file at once; nothing is allocated for them.
void ModelFile::check_configuration() const {
  try {
    models::check_config(info_.config);
  } catch (const Error& error) {
    fail("{}: {}", file_.path(), error.what());
  }
  std::set<std::string> declared;
  const nn::Parameters::Admission admit = [&](const std::string& name, const Shape& shape) {
    stored(name, shape);
    declared.insert(name);
  };
  if (info_.config.classes > 0)
    models::Classifier(info_.config, admit);
  else
    models::Seq2seq(info_.config, admit);
  check_no_others(file_, [&](const std::string& name) { return declared.contains(name); });
}

void ModelFile::load(nn::Parameters& parameters) const {
  check_no_others(file_, [&](const std::string& name) { return parameters.find(name) != nullptr; });
  const char* const type = stored_type(parameters.weights().dtype());
  for (const nn::Parameters::Entry& entry : parameters.entries())
    check(stored(entry.name, entry.shape).type == type, "{}: the tensor '{}' has another type than {}", file_.path(),
          entry.name, type);
  CheckedReading reading(file_);
  std::string staged;  // on the way to a GPU
  for (const TensorRecord& tensor : file_.tensors()) {
    const nn::Parameters::Entry* const entry = parameters.find(tensor.name);
    if (entry == nullptr) {
      reading.skip(tensor);
      continue;
    }
    const Tensor weights = parameters.weights_of(*entry);
    const bool direct = weights.device().on_host();
    if (!direct) staged.resize(static_cast<std::size_t>(tensor.size));
    reading.read(tensor, direct ? static_cast<char*>(weights.raw()) : staged.data());
    if (!direct) weights.copy_from(staged.data());
  }
  reading.finish();
  parameters.refresh();
}

}  // namespace dragoman::store
