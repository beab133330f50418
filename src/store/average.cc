#include "store/average.h"

#include <cstring>
#include <memory>

#include "base/join.h"
#include "store/model_file.h"
#include "text/tokenizer_file.h"

namespace dragoman::store {
namespace {

bool is_averaged(const StoredTensor& tensor) {
  return tensor.type == "F32" && !tensor.name.starts_with(kTrainingPrefix);
}

// Tokenizers that mean the same may differ in their bytes: they store their settings with descriptions, which change
// from version to version.
bool are_compatible(const StoredTensor& a, const StoredTensor& b) {
  if (!a.name.starts_with("tokenizer.")) return a.shape == b.shape && a.type == b.type;
  return a.bytes == b.bytes ||
         text::deserialize_tokenizer(a.bytes)->serialize() == text::deserialize_tokenizer(b.bytes)->serialize();
}

// The tensors of this name in all files. Throws Error with both paths if one is incompatible with the first.
std::vector<const StoredTensor*> find_in_all(const std::vector<std::unique_ptr<ModelFile>>& models,
                                             const StoredTensor& first) {
  std::vector<const StoredTensor*> found;
  for (const auto& model : models) {
    const StoredTensor* const tensor = model->file().find(first.name);
    check(tensor != nullptr && are_compatible(*tensor, first),
          "{} and {} have different configurations: they differ in '{}'", models[0]->file().path(),
          model->file().path(), first.name);
    found.push_back(tensor);
  }
  return found;
}

// The element-wise mean, summed in double so that the order of the files does not change the rounded result.
std::string mean(const std::vector<const StoredTensor*>& tensors) {
  const std::size_t count = tensors[0]->bytes.size() / sizeof(float);
  std::string result(count * sizeof(float), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (const StoredTensor* tensor : tensors) {
      float value;
      std::memcpy(&value, tensor->bytes.data() + i * sizeof value, sizeof value);
      sum += static_cast<double>(value);
    }
    const auto value = static_cast<float>(sum / static_cast<double>(tensors.size()));
    std::memcpy(result.data() + i * sizeof value, &value, sizeof value);
  }
  return result;
}

}  // namespace

void average_models(const std::vector<std::string>& paths, const std::string& output) {
  check(!paths.empty(), "expected one or more models to average");
  std::vector<std::unique_ptr<ModelFile>> models;
  for (const std::string& path : paths) models.push_back(std::make_unique<ModelFile>(path));
  std::vector<std::unique_ptr<std::string>> bytes;
  std::vector<StoredTensor> tensors;
  for (const StoredTensor& tensor : models[0]->file().tensors()) {
    if (tensor.name.starts_with(kTrainingPrefix)) continue;
    const std::vector<const StoredTensor*> all = find_in_all(models, tensor);
    tensors.push_back(tensor);
    if (!is_averaged(tensor)) continue;
    bytes.push_back(std::make_unique<std::string>(mean(all)));
    tensors.back().bytes = *bytes.back();
  }
  Metadata metadata = models[0]->file().metadata();
  metadata["card.average of"] = join(paths, " ");
  write_safetensors(output, metadata, tensors);
}

}  // namespace dragoman::store
