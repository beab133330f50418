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

}  // namespace

Parameters::~Parameters() {
  for (const Tensor& buffer : {weights_, gradients_, copy_})
    if (buffer.defined()) device_->release(buffer.raw());
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
  return {&entries_.back().tensor, &entries_.back().multiplied};
}

Parameter Parameters::rows(const Parameter& of, Size first, Size count) {
  views_.push_back({.of = &of.tensor(), .first = first, .count = count});
  return {&views_.back().tensor, &views_.back().multiplied};
}

Parameter Parameters::constant(Shape shape, TableRows rows) {
  constants_.push_back({.shape = shape, .rows = std::move(rows)});
  return {&constants_.back().tensor, &constants_.back().multiplied};
}

const Parameters::Entry* Parameters::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void Parameters::allocate(const Device& device, DType type, std::optional<std::uint64_t> seed, bool training) {
  check(!weights_.defined(), "[parameters] allocate() was called twice");
  Size total = 0;
  for (Entry& entry : entries_) {
    entry.offset = total;
    total += (entry.shape.count() + kAlignment - 1) / kAlignment * kAlignment;
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
  connect();
  if (seed) draw_weights(*seed);
  refresh();
  for (Constant& constant : constants_) {
    const auto size = static_cast<std::size_t>(constant.shape.count() * size_of(type));
    constant.tensor = Tensor(device.allocate(size), type, constant.shape, device);
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
    entry.tensor = part(read, entry.offset, entry.shape);
    if (!gradients_.defined() || !entry.trainable) continue;
    entry.gradient = {part(gradients_, entry.offset, entry.shape).raw(), true, true, true};
    entry.tensor.set_gradient(&entry.gradient);
  }
  for (View& view : views_) {
    const bool vector = view.of->shape().rank() == 1;
    const Shape shape = vector ? Shape{view.count} : Shape{view.count, view.of->cols()};
    const Size first = vector ? view.first : view.first * view.of->cols();
    view.tensor = part(*view.of, first, shape);
    if (!view.of->tracked()) continue;
    const Size skipped = first * size_of(view.of->gradient_type());
    view.gradient = {static_cast<char*>(view.of->gradient()->data) + skipped, true, true, true};
    view.tensor.set_gradient(&view.gradient);
  }
  each_matrix([&](auto& matrix) { matrix.tensor.set_packed(matrix.packed, format_); });
}

void Parameters::pack(WeightFormat format) {
  check(weights_.defined(), "[parameters] pack() needs allocate() first");
  check(!gradients_.defined(), "[parameters] a model in training cannot be packed, since its weights change");
  check(packed_ == nullptr || format == format_, "[parameters] the weights are packed in another format already");
  format_ = format;
  constexpr std::size_t kBorder = 256;
  const auto room = [&](const Tensor& matrix) {
    return (packed_bytes(matrix, format) + kBorder - 1) / kBorder * kBorder;
  };
  std::size_t total = 0;
  each_matrix([&](auto& matrix) {
    if (matrix.multiplied) total += room(matrix.tensor);
  });
  if (!packed_) packed_ = device_->allocate(total);
  auto* next = static_cast<char*>(packed_);
  each_matrix([&](auto& matrix) {
    if (!matrix.multiplied) return;
    matrix.packed = next;
    next += room(matrix.tensor);
    pack_weight(matrix.tensor, matrix.packed, format);
    matrix.tensor.set_packed(matrix.packed, format);
  });
}

Tensor Parameters::weights_of(const Entry& entry) const { return part(weights_, entry.offset, entry.shape); }

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
