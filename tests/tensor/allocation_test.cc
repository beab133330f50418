// A training step in the steady state calls the system allocator zero times: malloc and its relatives are replaced in
// this program by ones that count.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "tests/tensor/gradient_check.h"

#ifndef DRAGOMAN_SANITIZED

namespace {
std::atomic<std::int64_t> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}
}

namespace dragoman {
namespace {

using namespace testing;

// One flat buffer of weights with one of gradients; tensors are views into them.
class Parameters {
 public:
  explicit Parameters(Size capacity)
      : weights(static_cast<std::size_t>(capacity)),
        gradients(weights.size()),
        first(weights.size()),
        second(weights.size()) {
    Random random(4);
    for (float& weight : weights) weight = static_cast<float>(0.05 * random.normal());
    slots.reserve(64);
  }

  Tensor make(Shape shape) {
    slots.push_back({&gradients[static_cast<std::size_t>(used)], true, true});
    Tensor tensor(&weights[static_cast<std::size_t>(used)], DType::f32, shape, cpu_device());
    tensor.set_gradient(&slots.back());
    used += shape.count();
    return tensor;
  }
  static Tensor flat(std::vector<float>& values) {
    return {values.data(), DType::f32, {std::ssize(values)}, cpu_device()};
  }

  std::vector<float> weights, gradients, first, second;
  std::vector<Gradient> slots;
  Size used = 0;
};

// A small model with a bit of everything: embeddings, an LSTM layer, attention of both kinds, norms, dropout, the loss.
struct Model {
  explicit Model(Parameters& p)
      : table(p.make({50, 16})),
        w_ih(p.make({64, 16})),
        w_hh(p.make({64, 16})),
        b(p.make({64})),
        qkv(p.make({48, 16})),
        v(p.make({16})),
        gain(p.make({16})),
        bias(p.make({16})),
        up(p.make({32, 16})),
        down(p.make({16, 32})) {}

  double step(Workspace& workspace, std::uint64_t number, std::span<const std::int32_t> tokens,
              std::span<const std::int32_t> offsets) {
    workspace.reset();
    Context cx = Context::training(workspace, 9, number);
    const Packed batch = Packed::from_host(cx, tokens, offsets);
    const NormParameters norm{gain, bias};
    Tensor x = dropout(cx, embedding(cx, batch.tokens, table, {.scale = 4}), 0.1);
    x = lstm_layer(cx, {linear(cx, x, w_ih, b), w_hh, {}, true}, batch.rows, TimeOrder::of(cx, batch.rows)).h;
    const Tensor parts = linear(cx, x, qkv);
    const Tensor attended = attention(cx, {parts, 0, 16}, {parts, 16, 16}, {parts, 32, 16}, batch.rows, batch.rows,
                                      {.heads = 2, .causal = true, .dropout = 0.1})
                                .out;
    x = residual_norm(cx, x, attended, 0.1, norm).normalised;
    const PairLayout pairs = PairLayout::of(cx, batch.rows, batch.rows);
    const Tensor weights = segment_softmax(cx, additive_scores(cx, x, x, v, pairs), pairs);
    const Tensor both[] = {x, segment_mix(cx, weights, x, pairs)};
    x = slice_columns(cx, concat_columns(cx, both), 8, 16);
    const Tensor inner = linear(cx, x, up, {}, {.activation = Activation::gelu});
    x = residual_norm(cx, x, linear(cx, inner, down), 0.1, norm).normalised;
    const Losses losses = cross_entropy(cx, x, table, {}, batch.tokens, {.smoothing = 0.1});
    cx.backward();
    const float* values = losses.loss.data<float>();
    double sum = 0;
    for (Size i = 0; i < losses.loss.count(); ++i) sum += static_cast<double>(values[i]);
    return sum;
  }

  Tensor table, w_ih, w_hh, b, qkv, v, gain, bias, up, down;
};

TEST(TrainingStep, CallsTheSystemAllocatorZeroTimesInTheSteadyState) {
  Parameters parameters(8000);
  Model model(parameters);
  Workspace workspace(cpu_device());
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < 60; ++i) tokens.push_back(i * 7 % 50);
  const std::vector<std::int32_t> offsets = {0, 10, 25, 27, 60};
  double first_loss = 0, last_loss = 0, sum = 0;
  const Tensor squares(&sum, DType::f64, {1}, cpu_device());
  for (std::uint64_t step = 1; step <= 60; ++step) {
    const std::int64_t before = allocations;
    Parameters::flat(parameters.gradients).clear();
    last_loss = model.step(workspace, step, tokens, offsets);
    if (step == 1) first_loss = last_loss;
    const Tensor gradient = Parameters::flat(parameters.gradients);
    sum_squares(gradient, squares);
    adam_step(Parameters::flat(parameters.weights), gradient,
              {Parameters::flat(parameters.first), Parameters::flat(parameters.second)}, {}, 1e-2,
              static_cast<Size>(step), {squares, 1.0});
    if (step > 3) {
      EXPECT_EQ(allocations - before, 0) << "in step " << step;
    }
  }
  EXPECT_LT(last_loss, 0.7 * first_loss) << "the step must also learn";
}

}  // namespace
}  // namespace dragoman

#endif
