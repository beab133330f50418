#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tensor/ops.h"

namespace dragoman::nn {

// How a parameter starts.
struct Init {
  enum class Kind { constant, uniform, normal, glorot, fan_in };
  Kind kind = Kind::constant;
  double value = 0;  // the constant, the bound, the standard deviation; a factor for glorot and fan_in

  static Init zeros() { return {}; }
  static Init ones() { return {Kind::constant, 1}; }
  static Init uniform(double bound) { return {Kind::uniform, bound}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  // Uniform within factor * sqrt(6 / (in + out)) (Glorot and Bengio).
  static Init glorot(double factor = 1) { return {Kind::glorot, factor}; }
  // Uniform within factor / sqrt(in), what recurrent models start from.
  static Init fan_in(double factor = 1) { return {Kind::fan_in, factor}; }
};

// A named tensor of a model. Handles stay valid as long as their Parameters; they have memory after allocate().
class Parameter {
 public:
  Parameter() = default;
  operator const Tensor&() const { return *tensor_; }
  const Tensor& tensor() const { return *tensor_; }
  bool defined() const { return tensor_ != nullptr; }
  // Said by a layer whose `linear` reads this matrix [out, in]; Parameters::pack() lays it out for that.
  void mark_multiplied() const { *multiplied_ = true; }

 private:
  friend class Parameters;
  Parameter(const Tensor* tensor, bool* multiplied) : tensor_(tensor), multiplied_(multiplied) {}
  const Tensor* tensor_ = nullptr;
  bool* multiplied_ = nullptr;
};

// All parameters of a model in one flat buffer, with one flat buffer of gradients beside it: the optimiser, the norm
// and averaging are one call each. Layers declare what they need while they are built; allocate() then makes the
// memory and the starting values.
class Parameters {
 public:
  struct Entry {
    std::string name;
    Shape shape;
    Init init;
    Tensor tensor{};
    Gradient gradient{};
    Size offset = 0;  // elements from the start of the buffers
    bool trainable = true;
    bool multiplied = false;
    void* packed = nullptr;
  };

  Parameters() = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;
  ~Parameters();

  // Names are unique and read like a path: "decoder.layers.0.norm1.weight".
  Parameter add(const std::string& name, Shape shape, Init init);
  // Some rows of a parameter as a tensor of its own, gradient included.
  Parameter rows(const Parameter& of, Size first, Size count);

  // A table that is computed, not learned: no part of the flat buffers, of count() or of model files.
  Parameter constant(Shape shape, std::function<std::vector<double>()> values);

  // Memory on `device` in `type` (f32, or f64 for gradient checks); starting values depend on the seed and each
  // parameter's name only, and are zeros without a seed, for weights that come from elsewhere. Without `training` there
  // is no gradient buffer. With bf16, mixed precision: weights and gradients are f32, and a copy of the weights,
  // rounded, is what the model computes with.
  void allocate(const Device& device, DType type, std::optional<std::uint64_t> seed, bool training);

  // For inference, once the weights are what they shall be: gives every matrix that linear layers multiply by a second
  // form, laid out for the products (see `linear`). The plain form stays for whoever reads rows of it. Weights that
  // change later need another call; a model with gradients is refused, since its weights change at every step.
  void pack();

  const std::deque<Entry>& entries() const { return entries_; }
  const Entry* find(const std::string& name) const;
  // Parameters whose name matches the glob pattern ('*' and '?') no longer get gradients; returns how many.
  int freeze(const std::string& pattern);

  Size count() const;                              // numbers in all parameters, padding aside
  Tensor weights() const { return weights_; }      // flat
  Tensor gradients() const { return gradients_; }  // flat
  Tensor copy() const { return copy_; }            // flat, bf16; undefined unless in mixed precision
  // A parameter's part of weights().
  Tensor weights_of(const Entry& entry) const;
  // After weights() were written: what the model computes with follows them.
  void refresh();

 private:
  struct View {
    Tensor tensor{};
    Gradient gradient{};
    const Tensor* of;
    Size first, count;
    bool multiplied = false;
    void* packed = nullptr;
  };
  struct Constant {
    Tensor tensor{};
    Shape shape;
    std::function<std::vector<double>()> values;
    bool multiplied = false;
  };
  void draw_weights(std::uint64_t seed);
  void connect();
  // Calls f with every entry and every view.
  template <class F>
  void each_matrix(F&& f) {
    for (Entry& entry : entries_) f(entry);
    for (View& view : views_) f(view);
  }

  std::deque<Entry> entries_;
  std::deque<Constant> constants_;
  std::deque<View> views_;
  const Device* device_ = nullptr;
  void* packed_ = nullptr;  // of all matrices
  Tensor weights_, gradients_, copy_;
};

}  // namespace dragoman::nn
