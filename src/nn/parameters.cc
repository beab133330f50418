#include "nn/parameters.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace dragoman::nn {
namespace {

// Each parameter starts on a cache line, so that vector loads of its rows are aligned.
constexpr Size kAlignment = 16;

std::uint64_t hash(const std::string& name) {
  std::uint64_t value = 0xCBF29CE484222325u;
  for (const char c : name) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return value;
}

// `total` and the elements of one more parameter. The limit, 16 TiB in f32, keeps sizes in bytes, padding included, far
// from the largest 64-bit number.
Size added(Size total, const std::string& name, const Shape& shape) {
  constexpr Size kMostElements = Size{1} << 42;
  for (Size elements = 1, axis = 0; axis < shape.rank(); ++axis) {
    const Size size = shape[static_cast<int>(axis)];
    check(size == 0 || elements <= kMostElements / size, "[parameters] {} of shape {} is too large", name, shape);
    elements *= size;
  }
  check(total + shape.count() <= kMostElements, "[parameters] more than {} elements in one model", kMostElements);
  return total + shape.count();
}

double draw(Random& random, const Init& init, const Shape& shape) {
  switch (init.kind) {
    case Init::Kind::constant: return init.value;
    case Init::Kind::uniform: return random.uniform(-init.value, init.value);
    case Init::Kind::normal: return init.value * random.normal();
    case Init::Kind::fan_in: {
      const double bound = init.value / std::sqrt(static_cast<double>(shape.cols()));
      return random.uniform(-bound, bound);
    }
    case Init::Kind::glorot: {
      const double bound = init.value * std::sqrt(6.0 / static_cast<double>(shape.rows() + shape.cols()));
      return random.uniform(-bound, bound);
    }
  }
  return 0;
}

// A view of a flat buffer, starting at element `first`, as a tensor without gradient.
Tensor part(const Tensor& of, Size first, Shape shape) {
  return {static_cast<char*>(of.raw()) + first * size_of(of.dtype()), of.dtype(), shape, of.device()};
}

bool matches(const char* pattern, const char* name) {
  if (*pattern == '*') return matches(pattern + 1, name) || (*name != 0 && matches(pattern, name + 1));
  if (*pattern == 0 || *name == 0) return *pattern == *name;
  return (*pattern == '?' || *pattern == *name) && matches(pattern + 1, name + 1);
}

bool has_memory(const Tensor& buffer) { return buffer.raw() != nullptr; }

}  // namespace

Parameters::~Parameters() {
  for (const Tensor& buffer : {weights_, gradients_, copy_})
    if (has_memory(buffer)) device_->release(buffer.raw());
  for (const Constant& constant : constants_)
    if (constant.tensor.defined()) device_->release(constant.tensor.raw());
  if (packed_) device_->release(packed_);
}

Parameter Parameters::add(const std::string& name, Shape shape, Init init) {
  check(find(name) == nullptr, "[parameters] there are two parameters named {}", name);
  check(!weights_.defined(), "[parameters] {} was added after allocate()", name);
  if (admit_) admit_(name, shape);
  count_ = added(count_, name, shape);
  entries_.push_back({.name = name, .shape = shape, .init = init});
  by_name_.emplace(name, &entries_.back());
  return {&entries_.back().tensor, &entries_.back().uses};
}

Parameter Parameters::rows(const Parameter& of, Size first, Size count) {
  views_.push_back({.of = &of.tensor(), .first = first, .count = count});
  return {&views_.back().tensor, &views_.back().uses};
}

Parameter Parameters::constant(Shape shape, TableRows rows) {
  constants_.push_back({.shape = shape, .rows = std::move(rows)});
  return {&constants_.back().tensor, &constants_.back().uses};
}

const Parameters::Entry* Parameters::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void Parameters::allocate(const Device& device, DType type, std::optional<std::uint64_t> seed, bool training) {
  allocate_buffers(device, type, training);
  connect();
  if (seed) draw_weights(*seed);
  refresh();
  draw_constants(type);
}

void Parameters::allocate_packed(const Device& device, WeightFormat format,
                                 const std::function<bool(const Entry&)>& exact) {
  check(device.on_host() && format != WeightFormat::same,
        "[parameters] only narrow formats on the CPU have packed forms that replace the plain ones");
  for (Entry& entry : entries_) entry.packed_only = can_be_packed_only(entry) && exact(entry);
  allocate_buffers(device, DType::f32, false);
  connect();
  reserve_packed(format);
  connect();
  draw_constants(DType::f32);
}

void Parameters::allocate_buffers(const Device& device, DType type, bool training) {
  check(!weights_.defined(), "[parameters] allocate() was called twice");
  Size total = 0;
  for (Entry& entry : entries_) {
    entry.offset = total;
    if (!entry.packed_only) total += (entry.shape.count() + kAlignment - 1) / kAlignment * kAlignment;
  }
  device_ = &device;
  const auto buffer = [&](DType of) {
    const Tensor made(device.allocate(static_cast<std::size_t>(total * size_of(of))), of, {total}, device);
    made.clear();
    return made;
  };
  weights_ = buffer(stat_of(type));
  if (training) gradients_ = buffer(stat_of(type));
  if (type != stat_of(type)) copy_ = buffer(type);
}

void Parameters::draw_constants(DType type) {
  for (Constant& constant : constants_) {
    const auto size = static_cast<std::size_t>(constant.shape.count() * size_of(type));
    constant.tensor = Tensor(device_->allocate(size), type, constant.shape, *device_);
    constexpr Size kRows = 1024;  // at a time, since they are computed in double
    for (Size first = 0; first < constant.shape.rows(); first += kRows) {
      const Size count = std::min(kRows, constant.shape.rows() - first);
      constant.tensor.row_view(first, count).write(constant.rows(first, count));
    }
  }
}

// Draws all parameters in parallel, so the largest one determines the time.
void Parameters::draw_weights(std::uint64_t seed) {
  std::vector<std::vector<double>> values(entries_.size());
  threads::each(std::ssize(entries_), [&](std::int64_t i) {
    const Entry& entry = entries_[static_cast<std::size_t>(i)];
    Random random(seed, hash(entry.name));
    auto& mine = values[static_cast<std::size_t>(i)];
    mine.resize(static_cast<std::size_t>(entry.shape.count()));
    for (double& value : mine) value = draw(random, entry.init, entry.shape);
  });
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    weights_of(entries_[i]).write(values[i]);
    values[i] = {};
  }
}

// Points every tensor into the flat buffers. Gradients of parameters persist and are always added to.
void Parameters::connect() {
  const Tensor& read = copy_.defined() ? copy_ : weights_;
  for (Entry& entry : entries_) {
    entry.tensor = entry.packed_only ? Tensor(nullptr, read.dtype(), entry.shape, *device_)
                                     : part(read, entry.offset, entry.shape);
    if (!gradients_.defined() || !entry.trainable) continue;
    entry.gradient = {part(gradients_, entry.offset, entry.shape).raw(), true, true, true};
    entry.tensor.set_gradient(&entry.gradient);
  }
  for (View& view : views_) {
    const bool vector = view.of->shape().rank() == 1;
    const Shape shape = vector ? Shape{view.count} : Shape{view.count, view.of->cols()};
    const Size first = vector ? view.first : view.first * view.of->cols();
    view.tensor =
        view.of->packed_only() ? Tensor(nullptr, view.of->dtype(), shape, *device_) : part(*view.of, first, shape);
    if (!view.of->tracked()) continue;
    const Size skipped = first * size_of(view.of->gradient_type());
    view.gradient = {static_cast<char*>(view.of->gradient()->data) + skipped, true, true, true};
    view.tensor.set_gradient(&view.gradient);
  }
  each_matrix([&](auto& matrix) { matrix.tensor.set_packed(matrix.packed, format_); });
}

bool Parameters::can_be_packed_only(const Entry& entry) const {
  if (entry.shape.rank() != 2) return false;
  if (entry.uses.multiplied || entry.uses.looked_up) return true;
  Size covered = 0;
  for (const View& view : views_)
    if (view.of == &entry.tensor && view.uses.multiplied) covered += view.count;
  return covered == entry.shape.rows();
}

void Parameters::reserve_packed(WeightFormat format) {
  constexpr std::size_t kBorder = 256;
  format_ = format;
  std::size_t total = 0;
  std::vector<std::size_t> places;
  each_matrix([&](auto& matrix) {
    places.push_back(total);
    if (matrix.uses.multiplied || (matrix.uses.looked_up && matrix.tensor.packed_only()))
      total += (packed_bytes(matrix.tensor, format) + kBorder - 1) / kBorder * kBorder;
  });
  packed_ = device_->allocate(total);
  packed_bytes_ = total;
  places.push_back(total);
  auto place = places.begin();
  each_matrix([&](auto& matrix) {
    if (place[0] < place[1]) matrix.packed = static_cast<char*>(packed_) + place[0];
    ++place;
  });
}

void Parameters::pack(WeightFormat format) {
  check(weights_.defined(), "[parameters] pack() needs allocate() first");
  check(!gradients_.defined(), "[parameters] a model in training cannot be packed, since its weights change");
  check(packed_ == nullptr || format == format_, "[parameters] the weights are packed in another format already");
  if (!packed_) reserve_packed(format);
  each_matrix([&](auto& matrix) {
    if (matrix.packed == nullptr || matrix.tensor.packed_only()) return;
    pack_weight(matrix.tensor, matrix.packed, format);
    matrix.tensor.set_packed(matrix.packed, format);
  });
}

template <class F>
void Parameters::each_packed_form(const Entry& entry, F&& f) const {
  check(entry.packed_only, "[parameters] {} has a plain form, which its values belong to", entry.name);
  if (entry.packed) f(entry.tensor, entry.packed, Size{0});
  for (const View& view : views_)
    if (view.of == &entry.tensor && view.packed) f(view.tensor, view.packed, view.first);
}

void Parameters::pack_rows(const Entry& entry, const std::int8_t* numbers, const float* scales) {
  check(format_ == WeightFormat::int8, "[parameters] int8 values for weights that are packed in another format");
  each_packed_form(entry, [&](const Tensor& matrix, void* packed, Size first) {
    pack_weight(matrix, packed, numbers + first * matrix.cols(), scales + first);
  });
}

void Parameters::pack_rows(const Entry& entry, const kernels::bf16* halves) {
  check(format_ == WeightFormat::bf16, "[parameters] bf16 values for weights that are packed in another format");
  each_packed_form(entry, [&](const Tensor& matrix, void* packed, Size first) {
    pack_weight(matrix, packed, halves + first * matrix.cols());
  });
}

std::size_t Parameters::bytes() const {
  std::size_t total = packed_bytes_;
  for (const Tensor& buffer : {weights_, gradients_, copy_}) total += has_memory(buffer) ? buffer.bytes() : 0;
  for (const Constant& constant : constants_) total += constant.tensor.defined() ? constant.tensor.bytes() : 0;
  return total;
}

Tensor Parameters::weights_of(const Entry& entry) const {
  check(!entry.packed_only, "[parameters] {} is held packed, for inference only", entry.name);
  check(has_memory(weights_), "[parameters] the f32 weights of {} are divided between processes", entry.name);
  return part(weights_, entry.offset, entry.shape);
}

void Parameters::release_weights() {
  check(copy_.defined(), "[parameters] the model computes with these weights, so their memory is needed");
  device_->release(weights_.raw());
  weights_ = Tensor(nullptr, weights_.dtype(), weights_.shape(), *device_);
}

void Parameters::refresh() {
  if (!copy_.defined()) return;
  device_->kernels<float>().to_bf16({.count = weights_.count(), .x = weights_.ptr(), .y = copy_.ptr()});
}

int Parameters::freeze(const std::string& pattern) {
  int frozen = 0;
  for (Entry& entry : entries_)
    if (entry.trainable && matches(pattern.c_str(), entry.name.c_str())) {
      entry.trainable = false;
      ++frozen;
    }
  if (weights_.defined()) connect();
  return frozen;
}

}  // namespace dragoman::nn
