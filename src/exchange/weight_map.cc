#include "exchange/weight_map.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/join.h"
#include "base/quote.h"

namespace dragoman::exchange {
namespace {

Shape shape_of(const nn::Parameters& parameters, const std::string& parameter) {
  const nn::Parameters::Entry* const entry = parameters.find(parameter);
  check(entry != nullptr, "the model has no parameter '{}'", parameter);
  return entry->shape;
}

std::string show(const std::vector<Size>& shape) {
  std::vector<std::string> sizes;
  for (const Size size : shape) sizes.push_back(std::to_string(size));
  return "[" + join(sizes, ", ") + "]";
}

// Vectors may be stored as matrices of one row.
std::vector<Size> without_ones(const std::vector<Size>& shape) {
  std::vector<Size> kept = shape;
  while (kept.size() > 1 && kept.front() == 1) kept.erase(kept.begin());
  return kept;
}

}  // namespace

std::span<float> WeightMap::place(const std::string& parameter) {
  const nn::Parameters::Entry* const entry = parameters_.find(parameter);
  check(entry != nullptr, "the model has no parameter '{}'", parameter);
  filled_.insert(parameter);
  const Tensor weights = parameters_.weights_of(*entry);
  return {static_cast<float*>(weights.raw()), static_cast<std::size_t>(weights.count())};
}

void WeightMap::check_finite(const std::string& tensor, std::span<const float> values) const {
  check(std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }),
        "{}: the tensor '{}' contains numbers that are not finite", file_.path(), tensor);
}

std::vector<float> WeightMap::read(const std::string& tensor) {
  used_.insert(tensor);
  std::vector<float> values = file_.read(tensor);
  check_finite(tensor, values);
  return values;
}

void WeightMap::put(const std::string& parameter, const std::vector<std::string>& tensors) {
  const Shape shape = shape_of(parameters_, parameter);
  const bool matrix = shape.rank() == 2;
  std::span<float> to = place(parameter);
  for (const std::string& tensor : tensors) {
    const std::vector<float> values = read(tensor);
    const std::vector<Size> found = without_ones(file_.find(tensor)->shape);
    const bool fits =
        matrix ? file_.find(tensor)->shape.size() == 2 && file_.find(tensor)->shape[1] == shape[1] : found.size() == 1;
    check(fits && values.size() <= to.size(), "{}: the tensor '{}' has the shape {}, but its part of {} {} is expected",
          file_.path(), tensor, show(file_.find(tensor)->shape), parameter, shape);
    to = to.subspan(static_cast<std::size_t>(std::copy(values.begin(), values.end(), to.begin()) - to.begin()));
  }
  check(to.empty(), "{}: the tensors {} have fewer numbers than {} {}", file_.path(), join(tensors, ", "), parameter,
        shape);
}

void WeightMap::put_transposed(const std::string& parameter, const std::vector<std::string>& tensors) {
  const Shape shape = shape_of(parameters_, parameter);
  check(shape.rank() == 2, "the parameter '{}' is not a matrix", parameter);
  const std::span<float> to = place(parameter);
  const auto in = static_cast<std::size_t>(shape[1]);
  std::size_t row = 0;
  for (const std::string& tensor : tensors) {
    const std::vector<float> values = read(tensor);
    const std::vector<Size>& found = file_.find(tensor)->shape;
    check(found.size() == 2 && found[0] == shape[1] && row + static_cast<std::size_t>(found[1]) <= to.size() / in,
          "{}: the tensor '{}' has the shape {}, but its part of {} {}, transposed, is expected", file_.path(), tensor,
          show(found), parameter, shape);
    const auto out = static_cast<std::size_t>(found[1]);
    for (std::size_t i = 0; i < in; ++i)
      for (std::size_t o = 0; o < out; ++o) to[(row + o) * in + i] = values[i * out + o];
    row += out;
  }
  check(row == static_cast<std::size_t>(shape[0]), "{}: the tensors {} have fewer columns than {} {} has rows",
        file_.path(), join(tensors, ", "), parameter, shape);
}

void WeightMap::put(const std::string& parameter, std::span<const float> values) {
  const std::span<float> to = place(parameter);
  check(values.size() == to.size(), "{}: {} numbers are expected for {} {}, but there are {}", file_.path(), to.size(),
        parameter, shape_of(parameters_, parameter), values.size());
  std::copy(values.begin(), values.end(), to.begin());
}

void WeightMap::fill(const std::string& parameter, float value) {
  const std::span<float> to = place(parameter);
  std::fill(to.begin(), to.end(), value);
}

void WeightMap::finish() const {
  for (const nn::Parameters::Entry& entry : parameters_.entries())
    check(filled_.contains(entry.name), "{}: has no values for the parameter '{}'", file_.path(), entry.name);
  for (const TensorFile::Entry& entry : file_.entries())
    check(used_.contains(entry.name),
          "{}: the tensor '{}' {} has no place in the model; this variant of the format is not supported", file_.path(),
          excerpt(entry.name), show(entry.shape));
}

}  // namespace dragoman::exchange
