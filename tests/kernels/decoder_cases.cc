#include "tests/kernels/contract.h"

// Layers of a Transformer decoder in a step of search: each entry reads the result of the previous one, and a device
// may fuse them.
namespace dragoman::kernels::test {
namespace {

struct Shape {
  std::vector<Size> beams;  // hypotheses of each sentence
  Size heads, inner, layers;
  bool biases;

  Size rows() const { return std::accumulate(beams.begin(), beams.end(), Size{0}); }
  Size size() const { return 64 * heads; }
};

template <class T>
struct Layer {
  Size in, out;
  const void* packed;
  const T* bias;
  T* y;

  Layer(Arrays<T>& arrays, const Kernels<T>& kernels, const Shape& s, const char* name, Size from, Size to)
      : in(from), out(to) {
    const double bound = 2 / std::sqrt(static_cast<double>(in));
    packed = test::packed(arrays, kernels, {.in = in, .out = out, .transposed = true},
                          arrays.input(in * out, -bound, bound));
    bias = s.biases ? arrays.input(out) : nullptr;
    y = name != nullptr ? arrays.output(name, s.rows() * out) : nullptr;
  }
  void operator()(const Kernels<T>& kernels, const Shape& s, const T* x, Activation kind = Activation::none) const {
    kernels.linear_packed(
        {.rows = s.rows(), .in = in, .out = out, .activation = kind, .x = x, .packed = packed, .bias = bias, .y = y});
  }
};

template <class T>
struct AddAndNorm {
  const T *gain, *bias;
  T *sum, *y;
  Stat<T>*mean = nullptr, *rstd = nullptr;

  AddAndNorm(Arrays<T>& arrays, const Shape& s)
      : gain(arrays.input(s.size(), 0.5, 1.5)),
        bias(arrays.input(s.size())),
        sum(arrays.output("sum", s.rows() * s.size())),
        y(arrays.output("y", s.rows() * s.size())) {}
  void add_statistics(Arrays<T>& arrays, const Shape& s) {
    mean = arrays.stat_output("mean", s.rows());
    rstd = arrays.stat_output("rstd", s.rows());
  }
  const T* operator()(const Kernels<T>& kernels, const Shape& s, const T* x, const T* branch) const {
    kernels.norm({.rows = s.rows(),
                  .cols = s.size(),
                  .x = x,
                  .branch = branch,
                  .gain = gain,
                  .bias = bias,
                  .sum = sum,
                  .y = y,
                  .mean = mean,
                  .rstd = rstd});
    return y;
  }
};

// The keys of a sentence or a hypothesis: how many, and their rows.
struct Index {
  const std::int32_t *queries, *keys, *rows;
  Size sentences, longest_queries, longest, count;
};

// Hypothesis h reads some rows of the KV cache and its own new row, which is the last.
template <class T>
Index own_past(Arrays<T>& arrays, const Shape& s, Size past) {
  std::vector<Size> ones, lengths;
  std::vector<std::int32_t> rows;
  for (Size h = 0; h < s.rows(); ++h) {
    ones.push_back(1);
    lengths.push_back(1 + (past == 0 ? 0 : h * 7 % 40));
    for (Size i = 1; i < lengths.back(); ++i) rows.push_back(static_cast<std::int32_t>((h * 13 + i * 5) % past));
    rows.push_back(static_cast<std::int32_t>(past + h));
  }
  return {arrays.integers(offsets_of(ones)),
          arrays.integers(offsets_of(lengths)),
          arrays.integers(rows),
          s.rows(),
          1,
          *std::max_element(lengths.begin(), lengths.end()),
          std::ssize(rows)};
}

// Sentences have different keys, the third none.
template <class T>
Index source(Arrays<T>& arrays, const Shape& s) {
  std::vector<Size> lengths;
  for (Size i = 0; i < std::ssize(s.beams); ++i) lengths.push_back(i == 2 ? 0 : 1 + i * 11 % 35);
  const std::vector<std::int32_t> offsets = offsets_of(lengths);
  return {arrays.integers(offsets_of(s.beams)),
          arrays.integers(offsets),
          nullptr,
          std::ssize(s.beams),
          *std::max_element(s.beams.begin(), s.beams.end()),
          *std::max_element(lengths.begin(), lengths.end()),
          offsets.back()};
}

template <class T>
struct Attending {
  const T *k, *v;
  Size stride;
  T* out;
  Stat<T>* log_sum = nullptr;

  void operator()(const Kernels<T>& kernels, const Shape& s, const Index& index, const T* q, Size q_stride) const {
    kernels.attention({.sentences = index.sentences,
                       .heads = s.heads,
                       .key_size = 64,
                       .value_size = 64,
                       .queries = s.rows(),
                       .keys = index.count,
                       .query_offsets = index.queries,
                       .key_offsets = index.keys,
                       .longest_queries = index.longest_queries,
                       .longest = index.longest,
                       .scale = 0.125,
                       .q = q,
                       .k = k,
                       .v = v,
                       .q_stride = q_stride,
                       .k_stride = stride,
                       .v_stride = stride,
                       .key_rows = index.rows,
                       .out = out,
                       .log_sum = log_sum});
  }
};

constexpr Size kPast = 24;  // rows of each KV cache before the step

template <class T>
struct DecoderLayer {
  Layer<T> own, own_out, query, source_out, up, down;
  AddAndNorm<T> first, second, third;
  Attending<T> past, source;

  DecoderLayer(Arrays<T>& arrays, const Kernels<T>& kernels, const Shape& s)
      : own(arrays, kernels, s, nullptr, s.size(), 3 * s.size()),
        own_out(arrays, kernels, s, "own", s.size(), s.size()),
        query(arrays, kernels, s, "query", s.size(), s.size()),
        source_out(arrays, kernels, s, "source", s.size(), s.size()),
        up(arrays, kernels, s, "up", s.size(), s.inner),
        down(arrays, kernels, s, "down", s.inner, s.size()),
        first(arrays, s),
        second(arrays, s),
        third(arrays, s) {
    const Size d = s.size();
    T* pool = arrays.inout("pool", (kPast + s.rows()) * 3 * d);
    own.y = pool + kPast * 3 * d;
    past = {pool + d, pool + 2 * d, 3 * d, arrays.output("attended", s.rows() * d)};
    const T* memory = arrays.input(std::ssize(s.beams) * 36 * 2 * d);
    source = {memory, memory + d, 2 * d, arrays.output("attended", s.rows() * d)};
  }
  void add_statistics(Arrays<T>& arrays, const Shape& s) {
    for (AddAndNorm<T>* norm : {&first, &second, &third}) norm->add_statistics(arrays, s);
    for (Attending<T>* one : {&past, &source}) one->log_sum = arrays.stat_output("log_sum", s.rows() * s.heads);
  }
  const T* operator()(const Kernels<T>& kernels, const Shape& s, const Index& pasts, const Index& sources,
                      const T* x) const {
    own(kernels, s, x);
    past(kernels, s, pasts, own.y, 3 * s.size());
    own_out(kernels, s, past.out);
    x = first(kernels, s, x, own_out.y);
    query(kernels, s, x);
    source(kernels, s, sources, query.y, s.size());
    source_out(kernels, s, source.out);
    x = second(kernels, s, x, source_out.y);
    up(kernels, s, x, Activation::relu);
    down(kernels, s, up.y);
    return third(kernels, s, x, down.y);
  }
};

// Arrays of other types come last, so that those of T are aligned for vector loads.
template <class T>
void run_decoder(Arrays<T>& arrays, const Kernels<T>& kernels, const Shape& s) {
  const T* x = arrays.input(s.rows() * s.size());
  std::vector<DecoderLayer<T>> layers;
  for (Size i = 0; i < s.layers; ++i) layers.emplace_back(arrays, kernels, s);
  for (DecoderLayer<T>& layer : layers) layer.add_statistics(arrays, s);
  const Index pasts = own_past(arrays, s, kPast), sources = source(arrays, s);
  for (const DecoderLayer<T>& layer : layers) x = layer(kernels, s, pasts, sources, x);
}

}  // namespace

void add_decoder_cases(Cases& cases) {
  const std::vector<Size> many(9, 4);
  for (const Shape& s : {Shape{{1}, 1, 64, 1, true}, Shape{{1, 2, 4, 1}, 2, 128, 2, false},
                         Shape{{3, 40, 2}, 2, 640, 1, false}, Shape{{5, 4, 2, 8, 1, 4, 4, 4, 3}, 4, 1024, 1, true},
                         Shape{{5, 0, 0, 3, 4}, 2, 512, 1, true}, Shape{{4, 4, 4}, 6, 1536, 1, true},
                         Shape{many, 8, 2048, 2, true}, Shape{std::vector<Size>(31, 4), 8, 1024, 1, true}})
    cases.add("linear_packed",
              fmt::format("{} layers of a decoder, {} heads, {} inner, {} rows", s.layers, s.heads, s.inner, s.rows()),
              [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) { run_decoder(arrays, kernels, s); });
}

}  // namespace dragoman::kernels::test
