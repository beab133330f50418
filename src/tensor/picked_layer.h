#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tensor/ops.h"

namespace dragoman {

// Some rows of an output layer's weight, packed as a layer of their own: words of a lexical shortlist. For f32 on the
// host.
class PickedLayer {
 public:
  // `weight` [V, d] has a packed form; bias [V] may be undefined. Throws Error unless the words are in [0, V).
  PickedLayer(const Tensor& weight, const Tensor& bias, std::vector<std::int32_t> words);

  std::span<const std::int32_t> words() const { return words_; }
  const void* packed() const { return packed_.get(); }
  // [words]; null if the layer has no bias.
  const float* bias() const { return bias_.empty() ? nullptr : bias_.data(); }

 private:
  struct Release {
    const Device* device;
    void operator()(void* memory) const { device->release(memory); }
  };

  std::vector<std::int32_t> words_;
  std::vector<float> bias_;
  std::unique_ptr<void, Release> packed_;
};

// Consecutive rows of x and the words that are scored for them: those of two layers that have no word in common, either
// of which may be missing. Without both, all words.
struct PickedRows {
  Size count = 0;
  const PickedLayer* layer = nullptr;   // of these rows
  const PickedLayer* common = nullptr;  // of these and others; adjacent rows with the same one are computed together
};

// As top_scores(cx, x, weight, bias, count), where each row has its own words: the log-sum-exp is over these, and only
// they are chosen. `rows` covers all rows of x in order; the layers were picked from `weight` and `bias`. The logit of
// a word has the bits that it has without a shortlist, and results do not depend on other rows.
Best top_scores(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, Size count,
                std::span<const PickedRows> rows);
// The logits [N, V] of the same words; those of the others are -inf.
Tensor picked_logits(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                     std::span<const PickedRows> rows);

}  // namespace dragoman
