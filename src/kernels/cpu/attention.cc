#include <cmath>

#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// Turns scores into attention weights.
class Softmax {
 public:
  // `weights` ([queries, keys]) receives them, unless it is null; `kept` has room for the dropout factors of a row.
  Softmax(const Head& head, float* weights, float* kept)
      : head_(head), a_(head.a), weights_(weights), kept_(kept), factors_(a_.dropout) {}

  // The scores of query i become weights after dropout, padded with zeros up to `end`.
  void apply(Size i, float* scores, Size end) const {
    const Size visible = head_.visible(i);
    float log_sum = -std::numeric_limits<float>::infinity();
    if (visible > 0) {
      const Size whole = pad_row(scores, visible);
      const float largest = row_max(whole, scores);
      const float sum = exp_row(whole, scores, largest, scores);
      if (a_.log_sum) log_sum = largest + std::log(sum);
      scale_row(whole, 1 / sum, scores);
    }
    if (a_.log_sum) a_.log_sum[head_.state(i)] = log_sum;
    std::fill(scores + visible, scores + std::max(visible, end), 0.0f);
    if (weights_) {
      float* row = weights_ + i * head_.keys;
      std::copy_n(scores, visible, row);
      std::fill(row + visible, row + head_.keys, 0.0f);
    }
    if (a_.dropout.rate != 0) {
      factors_.write(head_.state(i), a_.longest, visible, kept_);
      for (Size j = 0; j < visible; j += kLanes)
        Whole::store(hn::Mul(Whole::load(scores + j), Whole::load(kept_ + j)), scores + j);
    }
  }

 private:
  const Head& head_;
  const Attention<float>& a_;
  float* weights_;
  float* kept_;
  Factors factors_;
};

// Widens bf16.
HWY_INLINE void copy_row(Size count, const bf16* from, float* to) {
  each_vector(0, count, [=](Size c, auto lanes) HWY_ATTR { lanes.store(lanes.load(from + c), to + c); });
}
HWY_INLINE void copy_row(Size count, const float* from, float* to) { std::copy_n(from, count, to); }

// One head of a sentence with many queries: products of matrices. E is the type of keys and values.
template <class E>
class ManyQueries {
 public:
  ManyQueries(const Head& head, float* weights) : head_(head), a_(head.a) {
    const Size keys = a_.key_size * head.stride(), values = a_.value_size * head.keys;
    const Size scores = head.block() * head.stride(), gathered = gathers() ? a_.key_size * head.keys : 0;
    keys_transposed_ = scratch(Scratch::piece, keys + values + scores + Dropout::stride(head.keys) + gathered);
    values_ = keys_transposed_ + keys;
    scores_ = values_ + values;
    kept_ = scores_ + scores;
    gathered_ = kept_ + Dropout::stride(head.keys);
    weights_ = weights;
  }

  void run() const {
    pack();
    for (Size begin = 0; begin < head_.queries; begin += head_.block())
      block(begin, std::min(begin + head_.block(), head_.queries));
  }

 private:
  // Whether the keys are not rows of floats at equal distances.
  bool gathers() const { return a_.key_rows || std::is_same_v<E, bf16>; }

  void pack() const {
    const float* keys = gathers() ? gathered_ : head_.k();
    const Size stride = gathers() ? a_.key_size : a_.k_stride;
    for (Size j = 0; gathers() && j < head_.keys; ++j)
      copy_row(a_.key_size, head_.template k<E>(j), gathered_ + j * a_.key_size);
    for (Size j = 0; j < head_.keys; ++j) copy_row(a_.value_size, head_.template v<E>(j), values_ + j * a_.value_size);
    transpose(head_.keys, a_.key_size, keys, stride, static_cast<float>(a_.scale), keys_transposed_, head_.stride());
  }

  void block(Size begin, Size end) const {
    const Size visible = head_.visible(end - 1);
    MatrixProduct match{.m = end - begin, .n = round_up(visible, kLanes), .k = a_.key_size, .a = head_.q(begin)};
    match.a_stride = a_.q_stride;
    match.b = keys_transposed_, match.b_stride = head_.stride();
    match.c = scores_, match.c_stride = head_.stride();
    multiply_tiles<false>(match);
    const Softmax softmax(head_, weights_, kept_);
    for (Size i = begin; i < end; ++i) softmax.apply(i, scores_ + (i - begin) * head_.stride(), visible);
    MatrixProduct mix{.m = end - begin, .n = a_.value_size, .k = visible, .a = scores_, .a_stride = head_.stride()};
    mix.b = values_, mix.b_stride = a_.value_size;
    mix.c = a_.out + head_.state(begin) * a_.value_size, mix.c_stride = head_.out_stride();
    multiply_tiles<false>(mix);
  }

  const Head& head_;
  const Attention<float>& a_;
  float* weights_;          // [queries, keys], or null
  float* keys_transposed_;  // [key_size, stride]: the scaled keys, transposed
  float* values_;           // [keys, value_size]: a contiguous copy of the values
  float* scores_;           // [block, stride]
  float* kept_;             // dropout factors of a row
  float* gathered_;         // [keys, key_size]: a contiguous copy of the keys, if it is needed
};

// How FewQueries reads keys and values: in the order of memory.
template <class E>
struct InOrder {
  using Element = E;

  // The query in the order in which keys are read; `room` has room for a copy.
  static HWY_INLINE const float* arrange(Size, const float* query, float* /*room*/) { return query; }
  // The dot products of a query and kRows keys.
  template <int kRows>
  static HWY_INLINE void dots(Size count, const float* query, const E* const (&keys)[kRows], float (&sums)[kRows]) {
    for (int r = 0; r < kRows; ++r) sums[r] = dot_row(count, query, keys[r]);
  }
  // Adds kRows weighted values to `out`.
  template <int kRows>
  static HWY_INLINE void add(Size count, const V (&weights)[kRows], const E* const (&values)[kRows], float* out) {
    each_vector(0, count, [&](Size c, auto lanes) HWY_ATTR {
      V sum = lanes.load(out + c);
      for (int r = 0; r < kRows; ++r) sum = hn::MulAdd(weights[r], lanes.load(values[r] + c), sum);
      lanes.store(sum, out + c);
    });
  }
  // Puts the sums of values into the order of memory.
  static HWY_INLINE void restore(Size, float* /*out*/) {}
};

// The same for bf16, two numbers per 32-bit word: the lower halves of a vector of words are the numbers at even places,
// the upper halves those at odd places, and one instruction widens either. Queries and sums have the even numbers of
// each pair of vectors first.
struct EvenOdd {
  using Element = bf16;
  static constexpr Size kPair = 2 * kLanes;

  static HWY_INLINE const float* arrange(Size count, const float* query, float* room) {
    for (Size c = 0; c < count; c += kPair) {
      V even, odd;
      hn::LoadInterleaved2(kTag, query + c, even, odd);
      Whole::store(even, room + c);
      Whole::store(odd, room + c + kLanes);
    }
    return room;
  }
  template <int kRows>
  static HWY_INLINE void dots(Size count, const float* query, const bf16* const (&keys)[kRows], float (&sums)[kRows]) {
    V even[kRows], odd[kRows];
    for (int r = 0; r < kRows; ++r) even[r] = odd[r] = hn::Zero(kTag);
    for (Size c = 0; c < count; c += kPair) {
      const V query_even = Whole::load(query + c), query_odd = Whole::load(query + c + kLanes);
      for (int r = 0; r < kRows; ++r) {
        const auto words = load(keys[r] + c);
        even[r] = hn::MulAdd(lower(words), query_even, even[r]);
        odd[r] = hn::MulAdd(upper(words), query_odd, odd[r]);
      }
    }
    for (int r = 0; r < kRows; ++r) sums[r] = hn::GetLane(hn::SumOfLanes(kTag, hn::Add(even[r], odd[r])));
  }
  template <int kRows>
  static HWY_INLINE void add(Size count, const V (&weights)[kRows], const bf16* const (&values)[kRows], float* out) {
    for (Size c = 0; c < count; c += kPair) {
      V even = Whole::load(out + c), odd = Whole::load(out + c + kLanes);
      for (int r = 0; r < kRows; ++r) {
        const auto words = load(values[r] + c);
        even = hn::MulAdd(weights[r], lower(words), even);
        odd = hn::MulAdd(weights[r], upper(words), odd);
      }
      Whole::store(even, out + c);
      Whole::store(odd, out + c + kLanes);
    }
  }
  static HWY_INLINE void restore(Size count, float* out) {
    for (Size c = 0; c < count; c += kPair)
      hn::StoreInterleaved2(Whole::load(out + c), Whole::load(out + c + kLanes), kTag, out + c);
  }

 private:
  using Words = hn::RebindToUnsigned<Tag>;
  static HWY_INLINE hn::Vec<Words> load(const bf16* from) {
    return hn::BitCast(Words(), hn::LoadU(hn::Repartition<std::uint16_t, Tag>(), &from->bits));
  }
  static HWY_INLINE V lower(hn::Vec<Words> words) { return hn::BitCast(kTag, hn::ShiftLeft<16>(words)); }
  static HWY_INLINE V upper(hn::Vec<Words> words) {
    return hn::BitCast(kTag, hn::And(words, hn::Set(Words(), 0xFFFF0000u)));
  }
};

// Software prefetch of a row of keys or values. Rows of the KV cache are too far apart for the hardware prefetcher of
// x86-64 CPUs; on a Neoverse-V1, fetching them gained nothing.
template <class E>
HWY_INLINE void prefetch_row([[maybe_unused]] Size count, [[maybe_unused]] const E* row) {
#if HWY_ARCH_X86
  constexpr Size kLine = 64 / Size{sizeof(E)};
  for (Size i = 0; i < count; i += kLine) __builtin_prefetch(row + i);
#endif
}

// Several heads of a sentence with few queries, as a decoder has them: rows of keys and values are read once per query,
// from their beginning to their end, since reading them takes most of the time. `Order` is InOrder or EvenOdd.
template <class Order>
class FewQueries {
 public:
  FewQueries(const Head& first, Size heads, float* weights)
      : first_(first), a_(first.a), heads_(heads), weights_(weights) {
    scores_ = scratch(Scratch::piece, heads * (first.stride() + a_.key_size) + Dropout::stride(first.keys));
    query_ = scores_ + heads * first.stride();
    kept_ = query_ + heads * a_.key_size;
  }

  void run() const {
    for (Size i = 0; i < first_.queries; ++i) {
      const Size visible = first_.visible(i);
      const float* query = Order::arrange(heads_ * a_.key_size, first_.q(i), query_);
      each_rows(visible, [&](Size j, auto rows) HWY_ATTR { score<decltype(rows)::value>(j, query); });
      for (Size h = 0; h < heads_; ++h) {
        Head head = first_;
        head.head += h;
        Softmax(head, weights_ ? weights_ + h * head.queries * head.keys : nullptr, kept_)
            .apply(i, weights_of(h), visible);
      }
      float* out = a_.out + first_.state(i) * a_.value_size;
      std::fill_n(out, heads_ * a_.value_size, 0.0f);
      each_rows(visible, [&](Size j, auto rows) HWY_ATTR { add_values<decltype(rows)::value>(j, out); });
      Order::restore(heads_ * a_.value_size, out);
    }
  }

 private:
  using E = typename Order::Element;

  float* weights_of(Size h) const { return scores_ + h * first_.stride(); }

  // Calls f(j, rows) for `rows` keys from j on: four, or one of the last ones.
  template <class F>
  static void each_rows(Size keys, F&& f) {
    Size j = 0;
    for (; j + 4 <= keys; j += 4) f(j, std::integral_constant<int, 4>{});
    for (; j < keys; ++j) f(j, std::integral_constant<int, 1>{});
  }

  // The scores of kRows keys from j on.
  template <int kRows>
  void score(Size j, const float* query) const {
    const E* keys[kRows];
    for (int r = 0; r < kRows; ++r) {
      keys[r] = first_.template k<E>(j + r);
      if (const Size later = j + kRows + r; later < first_.keys)
        prefetch_row(heads_ * a_.key_size, first_.template k<E>(later));
    }
    for (Size h = 0; h < heads_; ++h, query += a_.key_size) {
      float sums[kRows];
      Order::dots(a_.key_size, query, keys, sums);
      for (int r = 0; r < kRows; ++r) {
        weights_of(h)[j + r] = static_cast<float>(a_.scale) * sums[r];
        keys[r] += a_.key_size;
      }
    }
  }

  // Adds the weighted values of kRows keys from j on.
  template <int kRows>
  void add_values(Size j, float* out) const {
    const E* values[kRows];
    for (int r = 0; r < kRows; ++r) {
      values[r] = first_.template v<E>(j + r);
      if (const Size later = j + kRows + r; later < first_.keys)
        prefetch_row(heads_ * a_.value_size, first_.template v<E>(later));
    }
    for (Size h = 0; h < heads_; ++h, out += a_.value_size) {
      V weights[kRows];
      for (int r = 0; r < kRows; ++r) weights[r] = hn::Set(kTag, weights_of(h)[j + r]);
      Order::add(a_.value_size, weights, values, out);
      for (int r = 0; r < kRows; ++r) values[r] += a_.value_size;
    }
  }

  const Head& first_;
  const Attention<float>& a_;
  const Size heads_;
  float* weights_;  // [heads, queries, keys], or null
  float* scores_;   // [heads, stride]
  float* query_;    // [heads, key_size], in the order of keys
  float* kept_;     // dropout factors of a row
};

// Transposing the keys and copying the values costs as much as a few queries.
bool has_few_queries(const Head& head) { return head.queries < 4; }

template <class E>
void attend_with_few(const Head& first, Size heads, float* weights) {
  const Attention<float>& a = first.a;
  if (std::is_same_v<E, bf16> && a.key_size % EvenOdd::kPair == 0 && a.value_size % EvenOdd::kPair == 0)
    FewQueries<EvenOdd>(first, heads, weights).run();
  else
    FewQueries<InOrder<E>>(first, heads, weights).run();
}

template <class E>
void attend(const Attention<float>& a) {
  each_heads(a, [&](Size sentence, Size first, Size heads) {
    float* weights = a.weights;
    if (weights)
      for (Size s = 0; s < sentence; ++s) weights += a.heads * Head(a, s, 0).queries * Head(a, s, 0).keys;
    const auto weights_of = [&](const Head& head) {
      return weights ? weights + head.head * head.queries * head.keys : nullptr;
    };
    Head head(a, sentence, first);
    if (has_few_queries(head)) return attend_with_few<E>(head, heads, weights_of(head));
    for (; head.head < first + heads; ++head.head) ManyQueries<E>(head, weights_of(head)).run();
  });
}

void attention(const Attention<float>& a) { a.k_bf16 ? attend<bf16>(a) : attend<float>(a); }

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(attention);

void fill_attention(Kernels<float>& kernels) {
  kernels.attention = [](const auto& a) { HWY_DYNAMIC_DISPATCH(attention)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
