#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "exchange/tensor_file.h"
#include "nn/parameters.h"

namespace dragoman::exchange {

// Fills the parameters of a model from tensors of a file, under other names. Every tensor that is read must have the
// shape that the parameter expects, and in the end every parameter must have its values and every tensor its use.
class WeightMap {
 public:
  WeightMap(const TensorFile& file, nn::Parameters& parameters) : file_(file), parameters_(parameters) {}

  const std::string& path() const { return file_.path(); }
  // The parameter consists of the rows of these tensors, one tensor below the other.
  void put(const std::string& parameter, const std::vector<std::string>& tensors);
  // The same for tensors that are stored as [in, out] instead of [out, in].
  void put_transposed(const std::string& parameter, const std::vector<std::string>& tensors);
  void put(const std::string& parameter, std::span<const float> values);
  void fill(const std::string& parameter, float value);

  // Reads a tensor for a caller that changes it before put().
  std::vector<float> read(const std::string& tensor);
  bool has(const std::string& tensor) const { return file_.find(tensor) != nullptr; }
  // Whether there is a parameter of this name.
  bool wants(const std::string& parameter) const { return parameters_.find(parameter) != nullptr; }
  // The file may have this tensor, which says nothing that the configuration does not say.
  void ignore(const std::string& tensor) { used_.insert(tensor); }

  // Throws Error if a parameter has no values or a tensor no use.
  void finish() const;

 private:
  std::span<float> place(const std::string& parameter);
  void check_finite(const std::string& tensor, std::span<const float> values) const;

  const TensorFile& file_;
  nn::Parameters& parameters_;
  std::set<std::string> filled_, used_;
};

}  // namespace dragoman::exchange
