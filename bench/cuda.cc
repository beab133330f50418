// How close the CUDA kernels come to the limits of the GPU, at the sizes of a training step of transformer-base.
//
//   bench_cuda [--rows 16384] [--ceilings]
//
// The limits are measured in the same run, by a large copy and a large product. Times are means over many calls.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "kernels/cuda/cuda.h"

namespace dragoman::kernels {
namespace {

// An array on the GPU with random or given numbers.
template <class T>
class Numbers {
 public:
  explicit Numbers(Size count) : count_(count), memory_(static_cast<T*>(cuda::allocate(bytes()))) {
    std::vector<T> values(static_cast<std::size_t>(count));
    Random random(1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, bf16>)
        values[i] = {static_cast<std::uint16_t>((random.bits() & 0x807Fu) | 0x3E80u)};
      else if constexpr (std::is_integral_v<T>)
        values[i] = static_cast<T>(random.bits() % 8000);
      else
        values[i] = static_cast<T>(static_cast<double>(random.bits()) * 0x1p-32 - 0.5);
    }
    cuda::copy_from_host(memory_, values.data(), bytes());
  }
  explicit Numbers(const std::vector<T>& values)
      : count_(std::ssize(values)), memory_(static_cast<T*>(cuda::allocate(bytes()))) {
    cuda::copy_from_host(memory_, values.data(), bytes());
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers() { cuda::release(memory_); }

  operator T*() const { return memory_; }
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }

 private:
  Size count_;
  T* memory_;
};

double seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto time = [&](int repeats) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) work();
    cuda::wait();
    return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
  };
  time(3);
  return time(30);
}

double copy_rate = 1, product_rate = 1;

// `bytes` and `operations`: the least that the work must move and compute.
void report(const char* name, double bytes, double operations, const std::function<void()>& work) {
  const double time = seconds(work), floor = std::max(bytes / copy_rate, operations / product_rate);
  fmt::print("{:<34} {:>9.1f} us {:>9.2f} TB/s {:>8.1f} TFLOP/s {:>6.0f} % of the floor\n", name, 1e6 * time,
             1e-12 * bytes / time, 1e-12 * operations / time, 100 * floor / time);
}

void measure_ceilings() {
  constexpr Size kSide = 8192, kCopied = Size{1} << 30;
  const Numbers<bf16> a(kSide * kSide), b(kSide * kSide), c(kSide * kSide);
  const double product =
      seconds([&] { cuda::half().linear({.rows = kSide, .in = kSide, .out = kSide, .x = a, .weight = b, .y = c}); });
  product_rate = 2.0 * kSide * kSide * kSide / product;
  float* from = static_cast<float*>(cuda::allocate(kCopied));
  float* to = static_cast<float*>(cuda::allocate(kCopied));
  cuda::clear(from, kCopied);
  const double copy = seconds([&] { cuda::f32().combine({.count = kCopied / 4, .a = from, .y = to}); });
  copy_rate = 2.0 * kCopied / copy;
  cuda::release(from), cuda::release(to);
  fmt::print("ceilings: {:.2f} TB/s copied, {:.0f} TFLOP/s of bf16 products\n", 1e-12 * copy_rate,
             1e-12 * product_rate);
}

void measure_linear(Size rows, Size in, Size out) {
  const Numbers<bf16> x(rows * in), weight(in * out), bias(out), y(rows * out), dz(rows * out), dx(rows * in);
  const Numbers<float> dweight(in * out), dbias(out);
  const double work = 2.0 * static_cast<double>(rows * in * out);
  const double moved = 2.0 * static_cast<double>(rows * (in + out) + in * out);
  const auto name = [&](const char* what) { return fmt::format("{} {} -> {}", what, in, out); };
  report(name("linear relu").c_str(), moved, work, [&] {
    cuda::half().linear({.rows = rows,
                         .in = in,
                         .out = out,
                         .activation = Activation::relu,
                         .x = x,
                         .weight = weight,
                         .bias = bias,
                         .y = y});
  });
  report(name("dx").c_str(), moved, work, [&] {
    cuda::half().linear_backward({.rows = rows, .in = in, .out = out, .x = x, .weight = weight, .dy = y, .dx = dx});
  });
  report(name("dweight").c_str(), moved, work, [&] {
    cuda::half().linear_backward(
        {.rows = rows, .in = in, .out = out, .x = x, .weight = weight, .dy = y, .dweight = dweight});
  });
  report(name("dbias").c_str(), 2.0 * static_cast<double>(rows * out), 0, [&] {
    cuda::half().linear_backward(
        {.rows = rows, .in = in, .out = out, .x = x, .weight = weight, .dy = y, .dbias = dbias});
  });
}

void measure_norm(Size rows, Size cols) {
  const Numbers<bf16> x(rows * cols), branch(rows * cols), sum(rows * cols), y(rows * cols), gain(cols), bias(cols),
      dx(rows * cols), dbranch(rows * cols);
  const Numbers<float> mean(rows), rstd(rows), dgain(cols), dbias(cols);
  const auto array = 2.0 * static_cast<double>(rows * cols);
  for (const double rate : {0.0, 0.1}) {
    const Dropout dropout{rate, {1, 2}};
    report(rate > 0 ? "norm, dropped" : "norm", 4 * array, 0, [&] {
      cuda::half().norm({.rows = rows,
                         .cols = cols,
                         .x = x,
                         .branch = branch,
                         .dropout = dropout,
                         .gain = gain,
                         .bias = bias,
                         .sum = sum,
                         .y = y,
                         .mean = mean,
                         .rstd = rstd});
    });
    report(rate > 0 ? "norm_backward, dropped" : "norm_backward", 4 * array, 0, [&] {
      cuda::half().norm_backward({.rows = rows,
                                  .cols = cols,
                                  .sum = sum,
                                  .gain = gain,
                                  .mean = mean,
                                  .rstd = rstd,
                                  .dy = y,
                                  .dropout = dropout,
                                  .dx = dx,
                                  .dbranch = dbranch,
                                  .dgain = dgain,
                                  .dbias = dbias});
    });
  }
}

Numbers<std::int32_t> equal_sentences(Size sentences, Size length) {
  std::vector<std::int32_t> starts;
  for (Size s = 0; s <= sentences; ++s) starts.push_back(static_cast<std::int32_t>(s * length));
  return Numbers<std::int32_t>(starts);
}

void measure_attention(Size rows, Size length, bool causal) {
  constexpr Size kHeads = 8, kHead = 64;
  const Size sentences = rows / length, cols = kHeads * kHead;
  const Numbers<bf16> q(rows * cols), kv(rows * 2 * cols), out(rows * cols), dout(rows * cols), dq(rows * cols),
      dkv(rows * 2 * cols);
  const Numbers<float> log_sum(rows * kHeads);
  const Numbers<std::int32_t> offsets = equal_sentences(sentences, length);
  Attention<bf16> a{.sentences = sentences, .heads = kHeads, .key_size = kHead, .value_size = kHead};
  a.queries = a.keys = rows;
  a.query_offsets = a.key_offsets = offsets;
  a.longest_queries = a.longest = length;
  a.causal = causal, a.scale = 0.125;
  a.q = q, a.k = kv, a.v = kv + cols;
  a.q_stride = cols, a.k_stride = a.v_stride = 2 * cols;
  a.out = out, a.log_sum = log_sum;
  const auto array = 2.0 * static_cast<double>(rows * cols);
  const double work = 4.0 * static_cast<double>(rows * length * cols) * (causal ? 0.5 : 1);
  const auto name = [&](const char* what) { return fmt::format("{} n = {}{}", what, length, causal ? " causal" : ""); };
  report(name("attention").c_str(), 4 * array, work, [&] { cuda::half().attention(a); });
  AttentionBackward<bf16> b{.forward = a, .dout = dout, .dq = dq, .dk = dkv, .dv = dkv + cols};
  b.dq_stride = cols, b.dk_stride = b.dv_stride = 2 * cols;
  report(name("attention_backward").c_str(), 8 * array, 2.5 * work, [&] { cuda::half().attention_backward(b); });
}

// The projections of Linformer (Wang et al. 2020): 32 mixtures for keys and 32 for values.
void measure_projection(Size rows, Size length) {
  constexpr Size kMixtures = 32, kSize = 512;
  const Size sentences = rows / length, mixed = sentences * kMixtures * kSize;
  const Numbers<bf16> x(rows * kSize), dx(rows * kSize), y(2 * mixed), dy(2 * mixed),
      projections(2 * kMixtures * length);
  const Numbers<float> dprojections(2 * kMixtures * length);
  const Numbers<std::int32_t> offsets = equal_sentences(sentences, length);
  ProjectLength<bf16> a{.sentences = sentences, .mixtures = kMixtures, .size = kSize, .longest = length};
  a.length = length;
  a.offsets = offsets;
  a.x = x, a.x_stride = kSize;
  ProjectLengthBackward<bf16> b{.forward = {}, .dx = dx, .dx_stride = kSize, .accumulate_dx = true};
  for (const Size part : {0, 1}) {
    a.projections[part] = projections + part * kMixtures * length;
    a.y[part] = y + part * mixed;
    b.dy[part] = dy + part * mixed;
    b.dprojections[part] = dprojections + part * kMixtures * length;
  }
  b.forward = a;
  const double array = 2.0 * kSize * static_cast<double>(rows), result = 4.0 * static_cast<double>(mixed);
  const double work = 4.0 * kMixtures * kSize * static_cast<double>(rows);
  const auto name = [&](const char* what) { return fmt::format("{} n = {}", what, length); };
  report(name("project_length").c_str(), array + result, work, [&] { cuda::half().project_length(a); });
  report(name("project_length_backward").c_str(), 3 * array + result, 2 * work,
         [&] { cuda::half().project_length_backward(b); });
}

void measure_rest(Size rows, Size cols) {
  constexpr Size kClasses = 32000, kChunk = 4096, kWeights = Size{60} << 20;
  const Numbers<bf16> logits(kChunk * kClasses), table(kClasses * cols), y(rows * cols), z(4 * rows * cols),
      dz(4 * rows * cols), copy(kWeights);
  const Numbers<std::int32_t> ids(rows), workspace(2 * rows);
  const Numbers<float> loss(kChunk), nll(kChunk), dtable(kClasses * cols), weight(kWeights), gradient(kWeights),
      first(kWeights), second(kWeights);
  const Numbers<double> squares(1);
  report("cross_entropy 4096 x 32000", 4.0 * kChunk * kClasses, 0, [&] {
    cuda::half().cross_entropy({.rows = kChunk,
                                .classes = kClasses,
                                .logits = logits,
                                .targets = ids,
                                .smoothing = 0.1,
                                .gradient_scale = 1e-4,
                                .loss = loss,
                                .nll = nll});
  });
  const auto array = 2.0 * static_cast<double>(rows * cols);
  report("embedding", 2 * array, 0, [&] {
    cuda::half().gather_rows({.rows = rows, .cols = cols, .index = ids, .table = table, .scale = 2, .y = y});
  });
  report("embedding's gradient", 3 * array, 0, [&] {
    cuda::half().scatter_rows({.rows = rows,
                               .cols = cols,
                               .table_rows = kClasses,
                               .index = ids,
                               .dy = y,
                               .dtable = dtable,
                               .workspace = workspace});
  });
  report("relu's gradient, 4 x wide", 12 * array, 0, [&] {
    cuda::half().activate_backward(
        {.count = 4 * rows * cols, .activation = Activation::relu, .saved = z, .dy = dz, .dx = dz});
  });
  report("sum of squares of 60 M", 4.0 * kWeights, 0,
         [&] { cuda::f32().sum_squares({.count = kWeights, .x = gradient, .result = squares}); });
  report("adam of 60 M", 30.0 * kWeights, 0, [&] {
    cuda::f32().adam(
        {.count = kWeights, .weight = weight, .gradient = gradient, .first = first, .second = second, .copy = copy});
  });
}

}  // namespace
}  // namespace dragoman::kernels

int main(int argc, char** argv) {
  using namespace dragoman;
  kernels::Size rows = 16384;
  CLI::App app("Rates of the CUDA kernels against ceilings measured in the same run");
  app.add_option("--rows", rows, "tokens of a batch");
  bool only_ceilings = false;
  app.add_flag("--ceilings", only_ceilings, "measure nothing else");
  CLI11_PARSE(app, argc, argv);
  try {
    check(kernels::cuda::problem().empty(), "{}", kernels::cuda::problem());
    kernels::measure_ceilings();
    if (only_ceilings) return 0;
    for (const auto& [in, out] : {std::pair{512, 512}, {512, 1024}, {512, 2048}, {2048, 512}, {512, 32000}})
      kernels::measure_linear(out == 32000 ? 4096 : rows, in, out);
    kernels::measure_norm(rows, 512);
    for (const kernels::Size length : {32, 64, 256, 1024, 4096}) kernels::measure_attention(rows, length, false);
    kernels::measure_attention(rows, 64, true);
    for (const kernels::Size length : {64, 256, 1024, 4096}) kernels::measure_projection(rows, length);
    kernels::measure_rest(rows, 512);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
