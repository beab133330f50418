#include <fmt/core.h>

#include <cstring>

#include "base/threads.h"
#include "bench/kernels/timing.h"

// Memory-bound kernels: bytes moved per second against a plain copy.
namespace dragoman::bench {
namespace {

using namespace kernels;

// Arrays larger than any cache, shared by all measurements.
struct Arrays {
  Size rows, cols = 512, count;
  std::vector<float> a, b, c, d, gain, bias, mean, rstd, dgain, dbias;

  explicit Arrays(Size rows_wanted)
      : rows(rows_wanted),
        count(rows * cols),
        a(random_floats(count)),
        b(random_floats(count)),
        c(random_floats(count, 0, 1)),
        d(random_floats(count)),
        gain(random_floats(cols)),
        bias(random_floats(cols)),
        mean(random_floats(rows)),
        rstd(random_floats(rows, 0.5, 2)),
        dgain(random_floats(cols)),
        dbias(random_floats(cols)) {}
};

class Memory {
 public:
  explicit Memory(const Settings& settings) : settings_(settings), x_(settings.quick ? 4096 : 65536) {}

  void run() {
    fmt::print("{:<34} {:>8} {:>8} {:>9}\n", "bound by memory", "GB/s", "copy", "% of copy");
    rows();
    classes();
    elements();
    fmt::print("\n");
  }

 private:
  void measure(const std::string& name, double bytes, const Work& work) {
    if (!settings_.wanted(name)) return;
    const double copied = 2.0 * sizeof(float) * static_cast<double>(x_.count);
    const Times best = by_turns(settings_.quick ? 2 : 9, 0, work, [&] {
      threads::split(x_.count, 65536, [&](Size begin, Size end) {
        std::memcpy(x_.d.data() + begin, x_.a.data() + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
      });
    });
    const double rate = bytes / best.first / 1e9, ceiling = copied / best.second / 1e9;
    fmt::print("{:<34} {:>8.2f} {:>8.2f} {:>8.0f}%\n", name, rate, ceiling, 100 * rate / ceiling);
    std::fflush(stdout);
  }
  // `floats`: number of floats per element that are read or written.
  void measure(const std::string& name, int floats, const Work& work) {
    measure(name, static_cast<double>(floats) * sizeof(float) * static_cast<double>(x_.count), work);
  }

  void rows() {
    const Dropout dropout{0.1, {1, 2}};
    Norm<float> norm{.rows = x_.rows, .cols = x_.cols, .x = x_.a.data(), .gain = x_.gain.data()};
    norm.bias = x_.bias.data(), norm.y = x_.b.data(), norm.mean = x_.mean.data(), norm.rstd = x_.rstd.data();
    measure("norm", 2, [&] { cpu().norm(norm); });
    Norm<float> residual = norm;
    residual.branch = x_.b.data(), residual.sum = x_.c.data(), residual.y = x_.d.data();
    measure("residual + norm", 4, [&] { cpu().norm(residual); });
    residual.dropout = dropout;
    measure("residual + dropout + norm", 4, [&] { cpu().norm(residual); });
    NormBackward<float> back{.rows = x_.rows, .cols = x_.cols, .sum = x_.a.data(), .gain = x_.gain.data()};
    back.mean = x_.mean.data(), back.rstd = x_.rstd.data(), back.dy = x_.b.data(), back.dx = x_.c.data();
    back.dgain = x_.dgain.data(), back.dbias = x_.dbias.data();
    measure("norm backward", 3, [&] { cpu().norm_backward(back); });
    back.dbranch = x_.d.data(), back.dropout = dropout;
    measure("residual + dropout + norm backward", 4, [&] { cpu().norm_backward(back); });
    const DropElements<float> drop{
        .rows = x_.rows, .cols = x_.cols, .dropout = dropout, .x = x_.a.data(), .y = x_.b.data()};
    measure("dropout", 2, [&] { cpu().dropout(drop); });
    embeddings();
    recurrence();
  }

  // Half as many columns as the other rows, since gates have two parts.
  void recurrence() {
    constexpr Size kLength = 32;
    const Size sentences = x_.rows / kLength, hidden = x_.cols / 2;
    std::vector<std::int32_t> offsets;
    for (Size s = 0; s <= sentences; ++s) offsets.push_back(static_cast<std::int32_t>(s * kLength));
    std::vector<float> last(static_cast<std::size_t>(sentences * hidden));
    Ssru<float> layer{.sentences = sentences, .rows = x_.rows, .hidden = hidden, .offsets = offsets.data()};
    layer.gates = x_.a.data(), layer.h = x_.b.data(), layer.c = x_.c.data(), layer.c_last = last.data();
    measure("ssru, sentences of 32", 2, [&] { cpu().ssru(layer); });
    const SsruBackward<float> back{.forward = layer, .dh = x_.b.data(), .dgates = x_.d.data()};
    measure("ssru backward", 3, [&] { cpu().ssru_backward(back); });
  }

  void embeddings() {
    constexpr Size kTable = 32000;
    std::vector<std::int32_t> index(static_cast<std::size_t>(x_.rows)), workspace(2 * index.size());
    Random random(3);
    for (auto& i : index) i = static_cast<std::int32_t>(random.below(kTable));
    std::vector<float> table = random_floats(kTable * x_.cols);
    measure("gather (embedding)", 2, [&] {
      cpu().gather_rows({.rows = x_.rows,
                         .cols = x_.cols,
                         .index = index.data(),
                         .table = table.data(),
                         .scale = 22.6,
                         .y = x_.b.data()});
    });
    const double bytes = sizeof(float) * static_cast<double>(x_.count + 2 * std::ssize(table));
    measure("scatter (its gradient)", bytes, [&] {
      cpu().scatter_rows({.rows = x_.rows,
                          .cols = x_.cols,
                          .table_rows = kTable,
                          .index = index.data(),
                          .scale = 22.6,
                          .dy = x_.a.data(),
                          .dtable = table.data(),
                          .workspace = workspace.data()});
    });
  }

  void classes() {
    measure("softmax, 512 per row", 2, [&] {
      cpu().softmax({.rows = x_.rows, .cols = x_.cols, .starts = nullptr, .x = x_.a.data(), .y = x_.b.data()});
    });
    measure("softmax, 64 per row", 2, [&] {
      cpu().softmax({.rows = x_.count / 64, .cols = 64, .starts = nullptr, .x = x_.a.data(), .y = x_.b.data()});
    });
    measure("softmax backward", 3, [&] {
      cpu().softmax_backward({.rows = x_.rows,
                              .cols = x_.cols,
                              .starts = nullptr,
                              .y = x_.a.data(),
                              .dy = x_.b.data(),
                              .dx = x_.c.data()});
    });
    constexpr Size kClasses = 32000;
    const Size rows = x_.count / kClasses;
    const std::vector<std::int32_t> targets(static_cast<std::size_t>(rows), 17);
    const double bytes = 2.0 * sizeof(float) * static_cast<double>(rows * kClasses);
    measure("cross-entropy, 32000 classes", bytes, [&] {
      cpu().cross_entropy({.rows = rows,
                           .classes = kClasses,
                           .logits = x_.b.data(),
                           .targets = targets.data(),
                           .smoothing = 0.1,
                           .gradient_scale = 1,
                           .loss = x_.mean.data(),
                           .nll = x_.rstd.data()});
    });
  }

  void elements() {
    measure("adam", 7, [&] {
      cpu().adam({.count = x_.count,
                  .weight = x_.a.data(),
                  .gradient = x_.b.data(),
                  .first = x_.d.data(),
                  .second = x_.c.data()});
    });
    measure("sum of squares", 1, [&] {
      double sum = 0;
      cpu().sum_squares({.count = x_.count, .x = x_.a.data(), .result = &sum});
    });
    measure("combine", 3,
            [&] { cpu().combine({.count = x_.count, .a = x_.a.data(), .b = x_.b.data(), .y = x_.d.data()}); });
    for (const auto& [name, kind] : {std::pair{"relu", Activation::relu}, std::pair{"gelu", Activation::gelu},
                                     std::pair{"tanh", Activation::tanh}, std::pair{"sigmoid", Activation::sigmoid}})
      measure(name, 2, [&, kind = kind] {
        cpu().activate({.count = x_.count, .activation = kind, .x = x_.a.data(), .y = x_.d.data()});
      });
  }

  const Settings& settings_;
  Arrays x_;
};

}  // namespace

void measure_memory(const Settings& settings) { Memory(settings).run(); }

}  // namespace dragoman::bench
