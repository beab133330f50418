#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensor/ops.h"

namespace dragoman::nn {

// The initial values of a parameter.
struct Init {
  enum class Kind { constant, uniform, normal, glorot, fan_in };
  Kind kind = Kind::constant;
  double value = 0;  // the constant, the bound, the standard deviation; a factor for glorot and fan_in

  static Init zeros() { return {}; }
  static Init ones() { return {Kind::constant, 1}; }
  static Init uniform(double bound) { return {Kind::uniform, bound}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  // Uniform within factor * sqrt(6 / (in + out)) (Glorot and Bengio 2010).
  static Init glorot(double factor = 1) { return {Kind::glorot, factor}; }
  // Uniform within factor / sqrt(in), as usual for recurrent models.
  static Init fan_in(double factor = 1) { return {Kind::fan_in, factor}; }
};

// What layers do with a matrix.
struct MatrixUses {
  bool multiplied = false;  // as the weight [out, in] of a linear layer
  bool looked_up = false;   // its rows are embeddings
};

// A handle on a named tensor of a model. It is valid as long as its Parameters and has memory after allocate().
class Parameter {
 public:
  Parameter() = default;
  operator const Tensor&() const { return *tensor_; }
  const Tensor& tensor() const { return *tensor_; }
  bool defined() const { return tensor_ != nullptr; }
  // Called by the layers that use this matrix, so that Parameters know which form they need.
  void mark_multiplied() const { uses_->multiplied = true; }
  void mark_looked_up() const { uses_->looked_up = true; }

 private:
  friend class Parameters;
  Parameter(const Tensor* tensor, MatrixUses* uses) : tensor_(tensor), uses_(uses) {}
  const Tensor* tensor_ = nullptr;
  MatrixUses* uses_ = nullptr;
};

// All parameters of a model in one flat buffer, and their gradients in another, so that the optimiser, the norm and
// averaging are one call each. Layers declare their parameters in their constructors; allocate() then allocates the
// memory and draws the initial values.
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
    MatrixUses uses{};
    bool packed_only = false;  // has no part of weights()
    void* packed = nullptr;
  };

  // Called for every parameter that is added; throws to refuse it. A model file compares its tensors with it.
  using Admission = std::function<void(const std::string& name, const Shape& shape)>;

  explicit Parameters(Admission admit = {}) : admit_(std::move(admit)) {}
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;
  ~Parameters();

  // Names are unique paths such as "decoder.layers.0.norm1.weight".
  Parameter add(const std::string& name, Shape shape, Init init);
  // A view of some rows of a parameter and of its gradient.
  Parameter rows(const Parameter& of, Size first, Size count);

  // A table that is computed, not learned: not in the flat buffers, in count() or in model files. `rows(first, count)`
  // gives the values of some of its rows.
  using TableRows = std::function<std::vector<double>(Size first, Size count)>;
  Parameter constant(Shape shape, TableRows rows);

  // Allocates memory on `device` in `type` (f32, or f64 for gradient checks). Initial values depend only on the seed
  // and the name of each parameter; without a seed they are zeros, for weights that will be loaded. Without `training`
  // there is no gradient buffer. bf16 means mixed precision: weights and gradients are f32, and the model computes with
  // a copy of the weights rounded to bf16.
  void allocate(const Device& device, DType type, std::optional<std::uint64_t> seed, bool training);

  // For inference, once the weights are final: packs every matrix of a linear layer for matrix products (see `linear`).
  // The plain form stays, since it may be more exact. Call again after weights have changed. Throws for a model
  // with gradients, since its weights change at every step. A narrow format makes products on the CPU faster and less
  // exact.
  void pack(WeightFormat format = WeightFormat::same);

  // Like allocate() for inference in f32 on the host. A matrix whose values are `exact` in the narrow format is held
  // packed and in no other form, if every layer that uses it can read that. It gets its values by pack_rows(); the
  // other matrices get theirs as usual and are packed by pack().
  void allocate_packed(const Device& device, WeightFormat format, const std::function<bool(const Entry&)>& exact);
  // The values of a `packed_only` entry in the format of allocate_packed(): rows of int8 and their scales, or of bf16.
  void pack_rows(const Entry& entry, const std::int8_t* numbers, const float* scales);
  void pack_rows(const Entry& entry, const kernels::bf16* halves);

  const std::deque<Entry>& entries() const { return entries_; }
  const Entry* find(const std::string& name) const;
  // Parameters whose names match the glob pattern ('*' and '?') get no gradients from now on; returns how many match.
  int freeze(const std::string& pattern);

  Size count() const { return count_; }            // elements of all parameters, without padding
  Tensor weights() const { return weights_; }      // flat
  Tensor gradients() const { return gradients_; }  // flat
  Tensor copy() const { return copy_; }            // flat, bf16; undefined unless in mixed precision
  // Bytes of all forms of the weights, of gradients and of computed tables.
  std::size_t bytes() const;
  // A parameter's part of weights(). Throws if it is packed only.
  Tensor weights_of(const Entry& entry) const;
  // Call after writing to weights(): updates the copy that the model computes with.
  void refresh();
  // In mixed precision: releases the memory of weights(), which then has a size but no values. The copy stays.
  void release_weights();

 private:
  struct View {
    Tensor tensor{};
    Gradient gradient{};
    const Tensor* of;
    Size first, count;
    MatrixUses uses{};
    void* packed = nullptr;
  };
  struct Constant {
    Tensor tensor{};
    Shape shape;
    TableRows rows;
    MatrixUses uses{};
  };
  void allocate_buffers(const Device& device, DType type, bool training);
  void draw_weights(std::uint64_t seed);
  void draw_constants(DType type);
  void connect();
  // Whether the layers that use this matrix can read its packed form, or those of its views.
  bool can_be_packed_only(const Entry& entry) const;
  // Allocates memory for the packed forms.
  void reserve_packed(WeightFormat format);
  // Calls f(tensor, packed, first row) for the packed forms of a `packed_only` entry: its own or those of its views.
  template <class F>
  void each_packed_form(const Entry& entry, F&& f) const;
  // Calls f with every entry and every view.
  template <class F>
  void each_matrix(F&& f) {
    for (Entry& entry : entries_) f(entry);
    for (View& view : views_) f(view);
  }

  Admission admit_;
  std::deque<Entry> entries_;
  std::unordered_map<std::string, const Entry*> by_name_;
  Size count_ = 0;
  std::deque<Constant> constants_;
  std::deque<View> views_;
  const Device* device_ = nullptr;
  void* packed_ = nullptr;  // of all matrices
  std::size_t packed_bytes_ = 0;
  WeightFormat format_ = WeightFormat::same;
  Tensor weights_, gradients_, copy_;
};

}  // namespace dragoman::nn
