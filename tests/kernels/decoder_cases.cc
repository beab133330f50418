#include "tests/kernels/contract.h"

// Row programs: layers of a Transformer's decoder in a step of search.
namespace dragoman::kernels::test {
namespace {

struct DecoderShape {
  std::vector<Size> beams;  // hypotheses of each sentence
  Size heads, inner, layers;
  bool biases;
  Activation activation = Activation::relu;
  bool pre = false;  // pre-norm: sums are carried on instead of normalised sums

  Size rows() const { return std::accumulate(beams.begin(), beams.end(), Size{0}); }
  Size size() const { return 64 * heads; }
};

template <class T>
using Parts = std::vector<RowPart<T>>;

template <class T>
struct Layer {
  Size in, out;
  const void* packed;
  const T* bias;
  T* y;

  Layer(Arrays<T>& arrays, const Kernels<T>& kernels, const DecoderShape& s, const char* name, Size from, Size to)
      : in(from), out(to) {
    const double bound = 2 / std::sqrt(static_cast<double>(in));
    packed = test::packed(arrays, kernels, {.in = in, .out = out, .transposed = true},
                          arrays.input(in * out, -bound, bound));
    bias = s.biases ? arrays.input(out) : nullptr;
    y = name != nullptr ? arrays.output(name, s.rows() * out) : nullptr;
  }
  void add_to(Parts<T>& parts, const DecoderShape& s, const T* x, Activation kind = Activation::none) const {
    parts.push_back(LinearPacked<T>{
        .rows = s.rows(), .in = in, .out = out, .activation = kind, .x = x, .packed = packed, .bias = bias, .y = y});
  }
};

template <class T>
struct AddAndNorm {
  const T *gain, *bias;
  T *sum, *y;
  Stat<T>*mean = nullptr, *rstd = nullptr;

  AddAndNorm(Arrays<T>& arrays, const DecoderShape& s)
      : gain(arrays.input(s.size(), 0.5, 1.5)),
        bias(arrays.input(s.size())),
        sum(arrays.output("sum", s.rows() * s.size())),
        y(arrays.output("y", s.rows() * s.size())) {}
  void add_statistics(Arrays<T>& arrays, const DecoderShape& s) {
    mean = arrays.stat_output("mean", s.rows());
    rstd = arrays.stat_output("rstd", s.rows());
  }
  void add_to(Parts<T>& parts, const DecoderShape& s, const T* x, const T* branch) const {
    parts.push_back(Norm<T>{.rows = s.rows(),
                            .cols = s.size(),
                            .x = x,
                            .branch = branch,
                            .gain = gain,
                            .bias = bias,
                            .sum = sum,
                            .y = y,
                            .mean = mean,
                            .rstd = rstd});
  }
  const T* carried(const DecoderShape& s) const { return s.pre ? sum : y; }
};

// The keys of a sentence or a hypothesis: how many, and their rows.
struct Index {
  const std::int32_t *queries, *keys, *rows;
  Size sentences, longest_queries, longest, count;
};

Size longest(const std::vector<Size>& lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

// Hypothesis h reads some rows of the KV cache and its own new row, which is the last.
template <class T>
Index own_past(Arrays<T>& arrays, const DecoderShape& s, Size past) {
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
          longest(lengths),
          std::ssize(rows)};
}

// Sentences have different keys, the third none.
template <class T>
Index source(Arrays<T>& arrays, const DecoderShape& s) {
  std::vector<Size> lengths;
  for (Size i = 0; i < std::ssize(s.beams); ++i) lengths.push_back(i == 2 ? 0 : 1 + i * 11 % 35);
  const std::vector<std::int32_t> offsets = offsets_of(lengths);
  return {arrays.integers(offsets_of(s.beams)),
          arrays.integers(offsets),
          nullptr,
          std::ssize(s.beams),
          longest(s.beams),
          longest(lengths),
          offsets.back()};
}

template <class T>
struct Attending {
  const T *k, *v;
  Size stride;
  T* out;
  Stat<T>* log_sum = nullptr;

  void add_to(Parts<T>& parts, const DecoderShape& s, const Index& index, const T* q, Size q_stride) const {
    parts.push_back(Attention<T>{.sentences = index.sentences,
                                 .heads = s.heads,
                                 .key_size = 64,
                                 .value_size = 64,
                                 .queries = s.rows(),
                                 .keys = index.count,
                                 .query_offsets = index.queries,
                                 .key_offsets = index.keys,
                                 .longest_queries = index.longest_queries,
                                 .longest = index.longest,
                                 .causal = index.rows != nullptr,
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

  DecoderLayer(Arrays<T>& arrays, const Kernels<T>& kernels, const DecoderShape& s)
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
  void add_statistics(Arrays<T>& arrays, const DecoderShape& s) {
    for (AddAndNorm<T>* norm : {&first, &second, &third}) norm->add_statistics(arrays, s);
    for (Attending<T>* one : {&past, &source}) one->log_sum = arrays.stat_output("log_sum", s.rows() * s.heads);
  }
  // The layer reads `input`, to which its first block's result is added where `x` is.
  void add_to(Parts<T>& parts, const DecoderShape& s, const Index& pasts, const Index& sources, const T* input,
              const T* x) const {
    own.add_to(parts, s, input);
    past.add_to(parts, s, pasts, own.y, 3 * s.size());
    own_out.add_to(parts, s, past.out);
    first.add_to(parts, s, x, own_out.y);
    query.add_to(parts, s, first.y);
    source.add_to(parts, s, sources, query.y, s.size());
    source_out.add_to(parts, s, source.out);
    second.add_to(parts, s, first.carried(s), source_out.y);
    up.add_to(parts, s, second.y, s.activation);
    down.add_to(parts, s, up.y);
    third.add_to(parts, s, second.carried(s), down.y);
  }
};

// Arrays of other types come last, so that those of T are aligned for vector loads.
template <class T>
void run_decoder(Arrays<T>& arrays, const Kernels<T>& kernels, const DecoderShape& s) {
  const T* x = arrays.input(s.rows() * s.size());
  std::vector<DecoderLayer<T>> layers;
  for (Size i = 0; i < s.layers; ++i) layers.emplace_back(arrays, kernels, s);
  for (DecoderLayer<T>& layer : layers) layer.add_statistics(arrays, s);
  const Index pasts = own_past(arrays, s, kPast), sources = source(arrays, s);
  Parts<T> parts;
  const T* input = x;
  for (const DecoderLayer<T>& layer : layers) {
    layer.add_to(parts, s, pasts, sources, input, x);
    input = layer.third.y, x = layer.third.carried(s);
  }
  kernels.row_program({.count = std::ssize(parts), .parts = parts.data()});
}

}  // namespace

void add_decoder_cases(Cases& cases) {
  const std::vector<Size> many(9, 4);
  for (const DecoderShape& s :
       {DecoderShape{{1}, 1, 64, 1, true}, DecoderShape{{1, 2, 4, 1}, 2, 128, 2, false},
        DecoderShape{{3, 40, 2}, 2, 640, 1, false}, DecoderShape{{5, 4, 2, 8, 1, 4, 4, 4, 3}, 4, 1024, 1, true},
        DecoderShape{{5, 0, 0, 3, 4}, 2, 512, 1, true}, DecoderShape{{4, 4, 4}, 6, 1536, 1, true},
        DecoderShape{many, 8, 2048, 2, true}, DecoderShape{std::vector<Size>(31, 4), 8, 1024, 1, true},
        DecoderShape{{2, 3}, 2, 256, 2, true, Activation::relu, true},
        DecoderShape{{2, 3}, 2, 256, 2, true, Activation::gelu}, DecoderShape{{0, 0}, 2, 128, 1, true}})
    cases.add("row_program",
              fmt::format("{} layers of a decoder, {} heads, {} inner, {} rows, activation {}, pre-norm {}", s.layers,
                          s.heads, s.inner, s.rows(), static_cast<int>(s.activation), s.pre),
              [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) { run_decoder(arrays, kernels, s); });
  cases.add("row_program", "no parts", []<class T>(Arrays<T>&, const Kernels<T>& kernels) { kernels.row_program({}); });
}

}  // namespace dragoman::kernels::test
