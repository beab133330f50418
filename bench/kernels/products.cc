#include <fmt/core.h>

#include <chrono>
#include <thread>

#include "base/threads.h"
#include "bench/kernels/timing.h"
#include "kernels/cpu/blas.h"

// Linear layers against the plain product of the same shape by OpenBLAS with its own threads.
namespace dragoman::bench {
namespace {

using namespace kernels;

struct Shape {
  Size rows, in, out;

  double flops() const { return 2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out); }
};

// The threads of OpenBLAS spin for a while after a product; the next measurement waits until they sleep.
void let_library_rest() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

// Best times of our kernel and of OpenBLAS, measured alternately.
Times against_library(bool quick, double once, const Work& ours, const Work& library) {
  const int turns = quick ? 2 : 9;
  const double turn = quick ? 0.01 : std::max(0.03, once);
  Times best;
  for (int i = 0; i < turns; ++i) {
    cpu_filling::blas().set_num_threads(1);
    best.first = std::min(best.first, by_turns(1, turn, ours, [] {}).first);
    cpu_filling::blas().set_num_threads(threads::count());
    best.second = std::min(best.second, by_turns(1, turn, library, [] {}).first);
    cpu_filling::blas().set_num_threads(1);
    let_library_rest();
  }
  return best;
}

void report(const std::string& name, double flops, const Times& best) {
  fmt::print("{:<40} {:>9.1f} {:>9.1f} {:>8.0f}%\n", name, flops / best.first / 1e9, flops / best.second / 1e9,
             100 * best.second / best.first);
  std::fflush(stdout);
}

void measure_forward(const Settings& settings, const Shape& s, Activation activation) {
  const auto name =
      fmt::format("linear{} {} x {} x {}", activation == Activation::relu ? "+relu" : "", s.rows, s.in, s.out);
  if (!settings.wanted(name)) return;
  const std::vector<float> x = random_floats(s.rows * s.in), weight = random_floats(s.in * s.out);
  const std::vector<float> bias = random_floats(s.out);
  std::vector<float> y(static_cast<std::size_t>(s.rows * s.out));
  const Linear<float> linear{.rows = s.rows,
                             .in = s.in,
                             .out = s.out,
                             .activation = activation,
                             .x = x.data(),
                             .weight = weight.data(),
                             .bias = bias.data(),
                             .y = y.data()};
  const auto m = static_cast<blasint>(s.rows), k = static_cast<blasint>(s.in), n = static_cast<blasint>(s.out);
  report(name, s.flops(),
         against_library(
             settings.quick, 0, [&] { cpu().linear(linear); },
             [&] {
               cpu_filling::blas().sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, x.data(), k,
                                         weight.data(), k, 0, y.data(), n);
             }));
}

struct PackedLayer {
  std::vector<float> x, bias, packed, y;
  LinearPacked<float> arguments;

  PackedLayer(const Shape& s, const std::vector<float>& weight)
      : x(random_floats(s.rows * s.in)), bias(random_floats(s.out)), y(static_cast<std::size_t>(s.rows * s.out)) {
    Size bytes = 0;
    cpu().pack_weight({.in = s.in, .out = s.out, .bytes = &bytes});
    packed.resize(static_cast<std::size_t>(bytes) / sizeof(float));
    cpu().pack_weight({.in = s.in, .out = s.out, .weight = weight.data(), .packed = packed.data()});
    arguments = {.rows = s.rows, .in = s.in, .out = s.out, .x = x.data(), .packed = packed.data()};
    arguments.bias = bias.data(), arguments.y = y.data();
  }
};

// With a packed weight, and, for an output layer, with the top four words (top_scores).
void measure_packed(const Settings& settings, const Shape& s) {
  const auto name = fmt::format("packed linear {} x {} x {}", s.rows, s.in, s.out);
  const auto best_name = fmt::format("best words {} x {} x {}", s.rows, s.in, s.out);
  const bool best = s.out > 4096 && settings.wanted(best_name);
  if (!settings.wanted(name) && !best) return;
  const std::vector<float> weight = random_floats(s.in * s.out);
  PackedLayer layer(s, weight);
  std::vector<float> y(layer.y), log_sum(static_cast<std::size_t>(s.rows)), scores(4 * log_sum.size());
  std::vector<std::int32_t> ids(scores.size());
  const TopScores<float> top{.rows = s.rows,
                             .in = s.in,
                             .out = s.out,
                             .best = 4,
                             .x = layer.x.data(),
                             .packed = layer.packed.data(),
                             .bias = layer.bias.data(),
                             .log_sum = log_sum.data(),
                             .scores = scores.data(),
                             .ids = ids.data()};
  const auto m = static_cast<blasint>(s.rows), k = static_cast<blasint>(s.in), n = static_cast<blasint>(s.out);
  const Work library = [&] {
    cpu_filling::blas().sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, layer.x.data(), k, weight.data(), k,
                              0, y.data(), n);
  };
  if (settings.wanted(name))
    report(name, s.flops(),
           against_library(
               settings.quick, 0, [&] { cpu().linear_packed(layer.arguments); }, library));
  if (best)
    report(best_name, s.flops(),
           against_library(
               settings.quick, 0, [&] { cpu().top_scores(top); }, library));
}

void measure_backward(const Settings& settings, const Shape& s) {
  const auto name = fmt::format("linear+relu backward {} x {} x {}", s.rows, s.in, s.out);
  if (!settings.wanted(name)) return;
  const std::vector<float> x = random_floats(s.rows * s.in), weight = random_floats(s.in * s.out);
  const std::vector<float> saved = random_floats(s.rows * s.out), dy = random_floats(s.rows * s.out);
  std::vector<float> dz(dy.size()), dx(x.size()), dweight(weight.size()), dbias(static_cast<std::size_t>(s.out));
  const LinearBackward<float> back{.rows = s.rows,
                                   .in = s.in,
                                   .out = s.out,
                                   .activation = Activation::relu,
                                   .x = x.data(),
                                   .weight = weight.data(),
                                   .saved = saved.data(),
                                   .dy = dy.data(),
                                   .dz = dz.data(),
                                   .dx = dx.data(),
                                   .dweight = dweight.data(),
                                   .dbias = dbias.data()};
  const auto m = static_cast<blasint>(s.rows), k = static_cast<blasint>(s.in), n = static_cast<blasint>(s.out);
  report(name, 2 * s.flops(),
         against_library(
             settings.quick, 0, [&] { cpu().linear_backward(back); },
             [&] {
               cpu_filling::blas().sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, k, n, 1, dy.data(), n,
                                         weight.data(), k, 0, dx.data(), k);
               cpu_filling::blas().sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, m, 1, dy.data(), n, x.data(), k,
                                         1, dweight.data(), k);
             }));
}

// BLAS has no recurrent layer: its products are compared with a large one.
void measure_recurrent(const Settings& settings, Size sentences, Size hidden) {
  const Size length = 30, rows = sentences * length;
  const auto name = fmt::format("LSTM layer {} sentences, hidden {}", sentences, hidden);
  if (!settings.wanted(name)) return;
  std::vector<std::int32_t> offsets, order,
      active(static_cast<std::size_t>(length), static_cast<std::int32_t>(sentences));
  for (Size s = 0; s <= sentences; ++s) offsets.push_back(static_cast<std::int32_t>(s * length));
  for (Size s = 0; s < sentences; ++s) order.push_back(static_cast<std::int32_t>(s));
  const std::vector<float> weight = random_floats(4 * hidden * hidden, -0.1, 0.1);
  std::vector<float> gates = random_floats(rows * 4 * hidden), h(static_cast<std::size_t>(rows * hidden)), c(h);
  std::vector<float> h_last(static_cast<std::size_t>(sentences * hidden)), c_last(h_last), workspace(6 * h_last.size());
  std::vector<float> dh = random_floats(rows * hidden), dgates(gates.size()), h_before(h), dweight(weight.size());
  LstmLayer<float> layer{.sentences = sentences, .hidden = hidden, .steps = length, .offsets = offsets.data()};
  layer.order = order.data(), layer.active = active.data(), layer.gates = gates.data(), layer.weight = weight.data();
  layer.h = h.data(), layer.c = c.data(), layer.h_last = h_last.data(), layer.c_last = c_last.data();
  layer.workspace = workspace.data();
  const LstmLayerBackward<float> back{.forward = layer,
                                      .dh = dh.data(),
                                      .dgates = dgates.data(),
                                      .h_before = h_before.data(),
                                      .dweight = dweight.data()};
  constexpr blasint kLarge = 1024;
  const std::vector<float> a = random_floats(kLarge * kLarge);
  std::vector<float> product(a.size());
  const Work large = [&] {
    cpu_filling::blas().sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kLarge, kLarge, kLarge, 1, a.data(), kLarge,
                              a.data(), kLarge, 0, product.data(), kLarge);
  };
  const double large_flops = 2.0 * kLarge * kLarge * kLarge;
  const double flops = Shape{rows, hidden, 4 * hidden}.flops();
  const auto measure = [&](const std::string& what, double counted, const Work& work) {
    Times best = against_library(settings.quick, 0, work, large);
    best.second *= counted / large_flops;
    report(what, counted, best);
  };
  measure(name, flops, [&] { cpu().lstm_layer(layer); });
  measure(name + " backward", 2 * flops, [&] { cpu().lstm_layer_backward(back); });
}

}  // namespace

void measure_products(const Settings& settings) {
  std::vector<Shape> shapes = {{1, 512, 512},   {1, 512, 2048},   {1, 512, 32000},  {4, 512, 2048},   {10, 64, 256},
                               {10, 128, 512},  {10, 256, 1024},  {32, 512, 512},   {64, 512, 2048},  {64, 2048, 512},
                               {256, 512, 512}, {512, 512, 2048}, {512, 2048, 512}, {1000, 256, 1024}};
  if (!settings.quick)
    shapes.insert(shapes.end(), {{512, 512, 32000}, {4096, 512, 512}, {4096, 512, 2048}, {4096, 2048, 512}});
  fmt::print("{:<40} {:>9} {:>9} {:>9}\n", "matrix products", "GFLOP/s", "OpenBLAS", "%");
  for (const Shape& s : shapes) measure_forward(settings, s, Activation::none);
  for (const Shape& s : {Shape{64, 512, 2048}, Shape{512, 512, 2048}}) measure_forward(settings, s, Activation::relu);
  for (const auto& [in, out] : {std::pair<Size, Size>{512, 512}, {512, 2048}, {2048, 512}, {512, 32000}})
    for (const Size rows : {1, 4, 8, 32, 128, 800})
      if (!settings.quick || rows * in * out < Size{1} << 30) measure_packed(settings, {rows, in, out});
  for (const Shape& s : {Shape{64, 512, 2048}, Shape{512, 512, 512}, Shape{512, 512, 2048}})
    measure_backward(settings, s);
  for (const Size hidden : {64, 128, 256})
    for (const Size sentences : {10, 64}) measure_recurrent(settings, sentences, hidden);
  fmt::print("\n");
}

}  // namespace dragoman::bench
