#pragma once

#include <list>

#include "base/options.h"
#include "store/safetensors.h"

// Weights in files may have narrower numbers than in memory. f16 and bf16 are rounded; int8 are whole numbers within
// ±127 times a scale per row, which is a second tensor. Vectors (biases, norms) stay f32.
namespace dragoman::store {

enum class StoredFormat { f32, f16, bf16, int8 };

// The suffix of the tensor of scales: F32, one per row.
inline constexpr std::string_view kScaleSuffix = ".scale";

// Tensors to write, with the memory of those that were converted.
class StoredWeights {
 public:
  explicit StoredWeights(StoredFormat format) : format_(format) {}
  // Adds f32 weights; `bytes` must stay until the tensors are written.
  void add(const std::string& name, const std::vector<Size>& shape, std::string_view bytes);
  // Adds any other tensor as it is.
  void add(StoredTensor tensor) { tensors_.push_back(std::move(tensor)); }
  const std::vector<StoredTensor>& tensors() const { return tensors_; }

 private:
  const std::string& keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }

  StoredFormat format_;
  std::vector<StoredTensor> tensors_;
  std::list<std::string> kept_;
};

// Whether a tensor holds the scales of another one of this file.
bool is_scale(const SafetensorsFile& file, const std::string& name);
// Whether weights of this type can be read, as f32.
bool is_weight_type(const std::string& type);
// The scales of an int8 tensor. Throws if one of them would make a weight infinite.
std::vector<float> checked_scales(const TensorRecord& tensor, std::string_view scales);
// Weights as f32. `scales` are the bytes of the scales, for I8 only, and are checked.
void widen(const TensorRecord& tensor, std::string_view bytes, std::string_view scales, float* to);

}  // namespace dragoman::store

template <>
struct dragoman::EnumNames<dragoman::store::StoredFormat> {
  using Format = dragoman::store::StoredFormat;
  static constexpr std::pair<Format, const char*> list[] = {
      {Format::f32, "f32"}, {Format::f16, "f16"}, {Format::bf16, "bf16"}, {Format::int8, "int8"}};
};
