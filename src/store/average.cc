#include "store/average.h"

#include <cstring>
#include <memory>

#include "base/join.h"
#include "store/checksum.h"
#include "store/model_file.h"
#include "text/tokenizer_file.h"

namespace dragoman::store {
namespace {

bool is_averaged(const TensorRecord& tensor) {
  return tensor.type == "F32" && !tensor.name.starts_with(kTrainingPrefix);
}

// The shortlist of the mean is that of the first file, like the vocabularies.
bool is_shortlist(const std::string& name) { return name.starts_with(kShortlistPrefix); }

bool is_tokenizer(const TensorRecord& tensor) { return tensor.name.starts_with("tokenizer."); }

// Tokenizers that mean the same may differ in their bytes: they store their settings with descriptions, which change
// from version to version.
bool mean_the_same(const std::string& a, const std::string& b) {
  return a == b || text::deserialize_tokenizer(a)->serialize() == text::deserialize_tokenizer(b)->serialize();
}

// One tensor of the mean. Weights are summed in double, so that the order of the files does not change the rounded
// result.
struct Average {
  StoredTensor tensor;
  std::vector<double> sums;
  std::string bytes;

  void add(const std::string& weights) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      float value;
      std::memcpy(&value, weights.data() + i * sizeof value, sizeof value);
      sums[i] += static_cast<double>(value);
    }
  }
  void finish(std::size_t models) {
    if (!sums.empty()) bytes.resize(sums.size() * sizeof(float));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto value = static_cast<float>(sums[i] / static_cast<double>(models));
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    tensor.bytes = bytes;
  }
};

// The tensors of the mean, in the order of the first file, without the training state.
std::vector<Average> averages_of(const SafetensorsFile& first) {
  std::vector<Average> all;
  for (const TensorRecord& tensor : first.tensors()) {
    if (tensor.name.starts_with(kTrainingPrefix)) continue;
    Average& average = all.emplace_back();
    average.tensor = {tensor.name, tensor.type, tensor.shape, {}};
    if (is_averaged(tensor)) average.sums.resize(static_cast<std::size_t>(tensor.size / sizeof(float)));
  }
  return all;
}

// Adds a file, of which only one tensor at a time is in memory. Throws Error if it is damaged or not finite, so that no
// such file gets a new checksum, or if it differs from the first file in more than its weights.
void add_file(const SafetensorsFile& file, const std::string& first, std::vector<Average>& averages) {
  const auto require = [&](bool same, const std::string& name) {
    check(same, "{} and {} have different configurations: they differ in '{}'", first, file.path(), name);
  };
  std::map<std::string, Average*> by_name;
  for (Average& average : averages) {
    if (is_shortlist(average.tensor.name) && file.path() != first) continue;
    const TensorRecord* const tensor = file.find(average.tensor.name);
    require(tensor != nullptr && tensor->type == average.tensor.type &&
                (is_tokenizer(*tensor) || tensor->shape == average.tensor.shape),
            average.tensor.name);
    by_name[average.tensor.name] = &average;
  }
  CheckedReading reading(file);
  std::string bytes;
  for (const TensorRecord& tensor : file.tensors()) {
    const auto found = by_name.find(tensor.name);
    if (found == by_name.end()) {
      reading.skip(tensor);
      continue;
    }
    bytes.resize(static_cast<std::size_t>(tensor.size));
    reading.read(tensor, bytes.data());
    Average& average = *found->second;
    if (is_averaged(tensor))
      average.add(bytes);
    else if (file.path() == first)
      average.bytes = bytes;
    else
      require(is_tokenizer(tensor) ? mean_the_same(average.bytes, bytes) : average.bytes == bytes, tensor.name);
  }
  reading.finish();
}

}  // namespace

void average_models(const std::vector<std::string>& paths, const std::string& output, StoredFormat format) {
  check(!paths.empty(), "expected one or more models to average");
  std::vector<std::unique_ptr<ModelFile>> models;
  for (const std::string& path : paths) {
    models.push_back(std::make_unique<ModelFile>(path));
    check(models.back()->format() == StoredFormat::f32,
          "{}: its weights are stored in {}, which is too coarse for a mean; average models in f32 and store the mean "
          "in a narrow format with --to",
          path, name_of(models.back()->format()));
  }
  std::vector<Average> averages = averages_of(models[0]->file());
  for (const auto& model : models) add_file(model->file(), paths[0], averages);
  StoredWeights tensors(format);
  for (Average& average : averages) {
    average.finish(models.size());
    if (average.sums.empty())
      tensors.add(average.tensor);
    else
      tensors.add(average.tensor.name, average.tensor.shape, average.tensor.bytes);
  }
  Metadata metadata = models[0]->file().metadata();
  metadata["card.average of"] = join(paths, " ");
  if (format != StoredFormat::f32) metadata["card.weights"] = name_of(format);
  write_safetensors(output, metadata, tensors.tensors());
}

}  // namespace dragoman::store
