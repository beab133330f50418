#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

// The sizes of a batch: numbers of queries and keys of each sentence.
struct Batch {
  std::vector<Size> queries, keys;
  Size heads = 1, key_size = 0, value_size = 0;
  bool causal = false;
  double scale = 0.5;

  Size rows() const { return offsets_of(queries).back(); }
  Size key_rows() const { return offsets_of(keys).back(); }
  Size pairs() const {
    Size sum = 0;
    for (std::size_t s = 0; s < queries.size(); ++s) sum += queries[s] * keys[s];
    return sum;
  }
  std::string name() const {
    return fmt::format("{} sentences, {} queries, {} keys, {} heads of {} and {}{} times {}", queries.size(), rows(),
                       key_rows(), heads, key_size, value_size, causal ? " causal" : "", scale);
  }
};

std::vector<Batch> all_batches() {
  std::vector<Batch> all = {{{}, {}, 2, 4, 4, false},
                            {{1}, {1}, 1, 1, 1, false},
                            {{1}, {1}, 1, 16, 16, true},
                            {{0, 3}, {4, 0}, 2, 5, 3, false},
                            {{3, 1, 2}, {5, 1, 40}, 3, 7, 9, false},
                            {{5, 8}, {5, 8}, 2, 64, 64, true},
                            {{2, 9}, {7, 4}, 2, 16, 24, true},
                            {{33, 20, 1}, {33, 20, 1}, 4, 32, 32, true},
                            {{70}, {300}, 2, 64, 64, false},
                            {{17, 64, 65}, {90, 64, 3}, 1, 128, 48, false},
                            {{4, 4}, {2000, 11}, 1, 12, 8, false},
                            {{150}, {150}, 1, 20, 20, true},
                            {{1, 1, 1, 1}, {3, 70, 1, 33}, 10, 64, 64, true},
                            {{4, 0, 7, 1}, {31, 5, 0, 70}, 9, 64, 64, false},
                            {{130, 129, 129}, {130, 129, 129}, 1, 64, 64, true},
                            {{200, 1, 259}, {64, 280, 65}, 1, 64, 64, false},
                            {{9, 34, 0, 2}, {40, 20, 3, 0}, 1, 512, 512, false},
                            {{3, 20}, {3, 20}, 2, 128, 320, true},
                            {{1, 1, 1, 1}, {5, 40, 0, 1}, 2, 512, 136, false, 0.1},
                            {{200, 1, 259}, {64, 280, 65}, 1, 64, 64, true},
                            {{130, 129, 129}, {150, 70, 170}, 1, 64, 64, false, 40}};
  Batch random{{}, {}, 8, 64, 64, false};
  for (Size s = 0; s < 13; ++s) {
    random.queries.push_back(10 + s * 17 % 50);
    random.keys.push_back(10 + s * 23 % 50);
  }
  all.push_back(random);
  return all;
}

Size most(const std::vector<Size>& lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

struct Strides {
  Size q, k, v;
};

// The arguments of forward. Rows may be longer than the heads: queries, keys and values from one product.
template <class T>
Attention<T> forward_arguments(const Batch& b, double rate, Size gap, Arrays<T>& arrays) {
  const Strides strides{b.heads * b.key_size + gap, b.heads * b.key_size + 2 * gap, b.heads * b.value_size + gap};
  Attention<T> a{.sentences = std::ssize(b.queries), .heads = b.heads, .key_size = b.key_size};
  a.value_size = b.value_size;
  a.query_offsets = arrays.integers(offsets_of(b.queries));
  a.key_offsets = arrays.integers(offsets_of(b.keys));
  a.queries = b.rows(), a.keys = b.key_rows();
  a.longest_queries = most(b.queries), a.longest = most(b.keys);
  a.causal = b.causal;
  a.scale = b.scale;
  a.dropout = {rate, {5, 123456789012345}};
  a.q = arrays.input(b.rows() * strides.q);
  a.k = arrays.input(b.key_rows() * strides.k);
  a.v = arrays.input(b.key_rows() * strides.v);
  a.q_stride = strides.q, a.k_stride = strides.k, a.v_stride = strides.v;
  a.out = arrays.output("out", b.rows() * b.heads * b.value_size);
  a.log_sum = arrays.stat_output("log_sum", b.rows() * b.heads);
  return a;
}

// Random keys or values in bf16.
template <class T>
const bf16* half_input(Arrays<T>& arrays, Size count) {
  const T* drawn = arrays.input(count);
  std::vector<bf16> halves;
  for (Size i = 0; i < count; ++i) halves.push_back(bf16::from(static_cast<float>(number_of(drawn[i]))));
  return arrays.half_values(halves);
}

// Bits: which gradients are added to, and which are not needed. Large batches are slow in the reference and try only a
// few; steep ones, whose gradients amplify rounding errors, none.
std::vector<int> flags_for(const Batch& b) {
  if (b.scale > 1) return {};
  if (b.pairs() * b.heads > 3000) return {b.causal ? 0 : 7};
  return {0, 7, 8, 16, 32, 41, 48, 49, 50};
}

void add_attention(Cases& cases) {
  for (const Batch& b : all_batches())
    for (const double rate : {0.0, 0.1, 0.5}) {
      const Size gap = rate == 0.1 ? 5 : 0;
      const auto name = fmt::format("{} dropped {} gap {}", b.name(), rate, gap);
      for (const bool weights : {false, true})
        cases.add("attention", name + (weights ? " with weights" : ""),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    Attention<T> a = forward_arguments(b, rate, gap, arrays);
                    a.weights = given(weights, arrays.output("weights", b.heads * b.pairs()));
                    a.independent_keys = true;
                    kernels.attention(a);
                  });
      if (b.key_size == b.value_size)
        cases.add("attention", name + " of keys that are the values",
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    Attention<T> a = forward_arguments(b, rate, gap, arrays);
                    a.v = a.k, a.v_stride = a.k_stride;
                    a.values_are_keys = a.independent_keys = true;
                    kernels.attention(a);
                  });
      cases.add("attention", name + " of scattered keys", [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        Attention<T> a = forward_arguments(b, rate, gap, arrays);
        a.key_rows = arrays.integers(b.key_rows(), std::max<Size>(b.key_rows(), 1));
        kernels.attention(a);
      });
      for (const bool scattered : {false, true})
        cases.add_for_host("attention", fmt::format("{} of keys in bf16{}", name, scattered ? ", scattered" : ""),
                           [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                             Attention<T> a = forward_arguments(b, rate, gap, arrays);
                             a.k = a.v = nullptr;
                             a.k_bf16 = half_input(arrays, b.key_rows() * a.k_stride);
                             a.v_bf16 = half_input(arrays, b.key_rows() * a.v_stride);
                             if (scattered) a.key_rows = arrays.integers(b.key_rows(), std::max<Size>(b.key_rows(), 1));
                             if (scattered) a.log_sum = nullptr;
                             a.weights = arrays.output("weights", b.heads * b.pairs());
                             kernels.attention(a);
                           });
      for (const int flags : flags_for(b))
        cases.add("attention_backward", fmt::format("{} flags {}", name, flags),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    AttentionBackward<T> back{.forward = forward_arguments(b, rate, gap, arrays)};
                    const Attention<T>& a = back.forward;
                    kernels.attention(a);
                    back.dout = arrays.input(b.rows() * b.heads * b.value_size);
                    back.dq_stride = a.q_stride, back.dk_stride = a.k_stride, back.dv_stride = a.v_stride;
                    back.dq = given(!(flags & 8), arrays.inout("dq", b.rows() * a.q_stride));
                    back.dk = given(!(flags & 16), arrays.inout("dk", b.key_rows() * a.k_stride));
                    back.dv = given(!(flags & 32), arrays.inout("dv", b.key_rows() * a.v_stride));
                    if ((flags & 48) == 48) {  // of the queries only, as in a decoder step
                      kernels.fill({.count = 1, .y = arrays.workspace(1)});
                      back.forward.independent_keys = true;
                    }
                    back.accumulate_dq = flags & 1, back.accumulate_dk = flags & 2, back.accumulate_dv = flags & 4;
                    kernels.attention_backward(back);
                  });
    }
}

void add_additive(Cases& cases) {
  for (const Batch& b : all_batches())
    for (const Size size : {1, 6, 64}) {
      const auto arguments = [=]<class T>(Arrays<T>& arrays) {
        return AdditiveScores<T>{.sentences = std::ssize(b.queries),
                                 .size = size,
                                 .queries = b.rows(),
                                 .keys = b.key_rows(),
                                 .query_offsets = arrays.integers(offsets_of(b.queries)),
                                 .key_offsets = arrays.integers(offsets_of(b.keys)),
                                 .q = arrays.input(b.rows() * size, -2, 2),
                                 .k = arrays.input(b.key_rows() * size, -2, 2),
                                 .v = arrays.input(size)};
      };
      const auto name = fmt::format("{} size {}", b.name(), size);
      cases.add("additive_scores", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        AdditiveScores<T> a = arguments(arrays);
        a.scores = arrays.output("scores", b.pairs());
        kernels.additive_scores(a);
      });
      if (b.pairs() <= 3000)
        cases.add("additive_scores", name + " causal", [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
          AdditiveScores<T> a = arguments(arrays);
          a.causal = true;
          a.scores = arrays.workspace(b.pairs());
          kernels.additive_scores(a);
          // The softmax weight of a hidden key is zero.
          std::vector<std::int32_t> starts{0};
          for (std::size_t s = 0; s < b.queries.size(); ++s)
            for (Size i = 0; i < b.queries[s]; ++i)
              starts.push_back(starts.back() + static_cast<std::int32_t>(b.keys[s]));
          kernels.softmax({.rows = b.rows(),
                           .starts = arrays.integers(starts),
                           .x = a.scores,
                           .y = arrays.output("weights", b.pairs())});
        });
      for (const int flags : b.pairs() > 3000 ? std::vector{3} : std::vector{0, 3, 4, 8, 16, 32, 35})
        cases.add("additive_scores_backward", fmt::format("{} flags {}", name, flags),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    AdditiveScoresBackward<T> back{.forward = arguments(arrays)};
                    back.forward.causal = flags & 32;
                    back.dscores = arrays.input(b.pairs());
                    back.dq = given(!(flags & 4), arrays.inout("dq", b.rows() * size));
                    back.dk = given(!(flags & 8), arrays.inout("dk", b.key_rows() * size));
                    back.accumulate_dq = flags & 1, back.accumulate_dk = flags & 2;
                    back.dv = given(!(flags & 16), arrays.stat_inout("dv", size));
                    kernels.additive_scores_backward(back);
                  });
    }
}

}  // namespace

void add_attention_cases(Cases& cases) {
  add_attention(cases);
  add_additive(cases);
}

}  // namespace dragoman::kernels::test
