#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "bench/kernels/timing.h"

// Packed attention against the usual composition: all sentences padded to the longest, a batched product for the
// scores, a mask, a softmax, a batched product for the result; and the corresponding backward.
namespace dragoman::bench {
namespace {

using namespace kernels;

constexpr Size kHeads = 8, kSize = 64, kModel = kHeads * kSize;

// The arrays of a padded batch. Products run on all threads; the softmax is our SIMD kernel.
class Padded {
 public:
  explicit Padded(const std::vector<Size>& lengths)
      : lengths_(lengths),
        longest_(*std::max_element(lengths.begin(), lengths.end())),
        count_(std::ssize(lengths) * kHeads),
        q_(random_floats(std::ssize(lengths) * longest_ * kModel)),
        k_(q_),
        v_(q_),
        out_(q_),
        dout_(q_),
        dq_(q_),
        dk_(q_),
        dv_(q_),
        mask_(static_cast<std::size_t>(count_ * longest_ * longest_)),
        weights_(mask_),
        dweights_(mask_) {
    for (Size i = 0; i < count_; ++i)
      for (Size r = 0; r < longest_; ++r)
        for (Size c = lengths_[i / kHeads]; c < longest_; ++c)
          mask_[(i * longest_ + r) * longest_ + c] = -std::numeric_limits<float>::infinity();
  }

  void forward() {
    multiply(to_scores(), false, true, kScale, q_, k_, weights_);
    cpu().combine({.count = std::ssize(mask_), .a = weights_.data(), .b = mask_.data(), .y = weights_.data()});
    cpu().softmax({.rows = count_ * longest_, .cols = longest_, .x = weights_.data(), .y = weights_.data()});
    multiply(from_scores(), false, false, 1, weights_, v_, out_);
  }

  void backward() {
    multiply(from_scores(), true, false, 1, weights_, dout_, dv_);
    multiply(to_scores(), false, true, 1, dout_, v_, dweights_);
    cpu().softmax_backward({.rows = count_ * longest_,
                            .cols = longest_,
                            .y = weights_.data(),
                            .dy = dweights_.data(),
                            .dx = dweights_.data()});
    multiply(from_scores(), false, false, kScale, dweights_, k_, dq_);
    multiply(from_scores(), true, false, kScale, dweights_, q_, dk_);
  }

 private:
  static constexpr double kScale = 0.125;

  Size states(Size i) const { return i / kHeads * longest_ * kModel + i % kHeads * kSize; }
  // [L, size] times [L, size]^T for every head of every sentence.
  std::vector<Product> to_scores() const {
    std::vector<Product> all;
    for (Size i = 0; i < count_; ++i)
      all.push_back(
          {longest_, longest_, kSize, states(i), states(i), i * longest_ * longest_, kModel, kModel, longest_});
    return all;
  }
  // [L, L] times [L, size].
  std::vector<Product> from_scores() const {
    std::vector<Product> all;
    for (Size i = 0; i < count_; ++i)
      all.push_back(
          {longest_, kSize, longest_, i * longest_ * longest_, states(i), states(i), longest_, kModel, kModel});
    return all;
  }
  static void multiply(const std::vector<Product>& products, bool transposed_a, bool transposed_b, double alpha,
                       const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c) {
    cpu().matmul({.count = std::ssize(products),
                  .products = products.data(),
                  .transposed_a = transposed_a,
                  .transposed_b = transposed_b,
                  .alpha = alpha,
                  .a = a.data(),
                  .b = b.data(),
                  .c = c.data()});
  }

  std::vector<Size> lengths_;
  Size longest_, count_;
  std::vector<float> q_, k_, v_, out_, dout_, dq_, dk_, dv_, mask_, weights_, dweights_;
};

class Packed {
 public:
  explicit Packed(const std::vector<Size>& lengths) : offsets_(1, 0) {
    for (const Size n : lengths) offsets_.push_back(offsets_.back() + static_cast<std::int32_t>(n));
    const Size rows = offsets_.back();
    q_ = k_ = v_ = out_ = dout_ = dq_ = dk_ = dv_ = random_floats(rows * kModel);
    log_sum_.resize(static_cast<std::size_t>(rows * kHeads));
    a_ = {.sentences = std::ssize(lengths), .heads = kHeads, .key_size = kSize, .value_size = kSize};
    a_.query_offsets = a_.key_offsets = offsets_.data();
    a_.longest = *std::max_element(lengths.begin(), lengths.end());
    a_.scale = 0.125;
    a_.q = q_.data(), a_.k = k_.data(), a_.v = v_.data(), a_.out = out_.data(), a_.log_sum = log_sum_.data();
    a_.q_stride = a_.k_stride = a_.v_stride = kModel;
    b_ = {.forward = a_, .dout = dout_.data(), .dq = dq_.data(), .dk = dk_.data(), .dv = dv_.data()};
    b_.dq_stride = b_.dk_stride = b_.dv_stride = kModel;
  }
  void set_causal(bool causal) { a_.causal = b_.forward.causal = causal; }
  void set_dropout(double rate) { a_.dropout = b_.forward.dropout = {rate, {1, 2}}; }
  void forward() const { cpu().attention(a_); }
  void backward() const { cpu().attention_backward(b_); }

 private:
  std::vector<std::int32_t> offsets_;
  std::vector<float> q_, k_, v_, out_, dout_, dq_, dk_, dv_, log_sum_;
  Attention<float> a_;
  AttentionBackward<float> b_;
};

// Floating-point operations of the packed products alone.
double flops_of(const std::vector<Size>& lengths, int products) {
  double pairs = 0;
  for (const Size n : lengths) pairs += static_cast<double>(n * n);
  return 2.0 * products * pairs * static_cast<double>(kModel);
}

// A large product makes OpenBLAS touch its packing buffers before small ones are measured.
void warm_library() {
  constexpr Size kLarge = 1024;
  const std::vector<float> x = random_floats(kLarge * kLarge);
  std::vector<float> y(x.size());
  cpu().linear(
      {.rows = kLarge, .in = kLarge, .out = kLarge, .x = x.data(), .weight = x.data(), .bias = nullptr, .y = y.data()});
}

}  // namespace

void measure_attention(const Settings& settings) {
  std::vector<Size> lengths;
  Random random(11);
  for (int s = 0; s < 64; ++s) lengths.push_back(10 + static_cast<Size>(random.below(51)));
  fmt::print("{:<40} {:>9} {:>9} {:>9} {:>9}\n", "attention, 64 sentences of 10-60", "ms", "GFLOP/s", "padded ms",
             "ratio");
  Padded padded(lengths);
  Packed packed(lengths);
  const auto measure = [&](const std::string& name, int products, const Work& ours, const Work& theirs) {
    if (!settings.wanted(name)) return;
    const Times best = by_turns(settings.quick ? 2 : 15, 0.02, ours, theirs);
    fmt::print("{:<40} {:>9.2f} {:>9.1f} {:>9.2f} {:>8.2f}x\n", name, best.first * 1e3,
               flops_of(lengths, products) / best.first / 1e9, best.second * 1e3, best.second / best.first);
    std::fflush(stdout);
  };
  warm_library();
  padded.forward();
  packed.forward();
  measure(
      "attention", 2, [&] { packed.forward(); }, [&] { padded.forward(); });
  measure(
      "attention backward", 5, [&] { packed.backward(); }, [&] { padded.backward(); });
  packed.set_causal(true);
  packed.forward();
  measure(
      "attention causal", 2, [&] { packed.forward(); }, [&] { padded.forward(); });
  measure(
      "attention causal backward", 5, [&] { packed.backward(); }, [&] { padded.backward(); });
  packed.set_causal(false);
  packed.set_dropout(0.1);
  measure(
      "attention with dropout", 2, [&] { packed.forward(); }, [&] { padded.forward(); });
}

}  // namespace dragoman::bench
