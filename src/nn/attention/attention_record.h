#pragma once

#include <string>
#include <vector>

#include "nn/attention/attention.h"

namespace dragoman::nn {

// The weights of one attention layer in a forward pass over one sentence.
struct RecordedAttention {
  std::string name;                                      // of the layer's parameters
  bool causal = false;                                   // over the decoder's own past: row i has i + 1 weights
  bool self = false;                                     // the memory attends to itself
  bool mixtures = false;                                 // keys are mixtures of all rows (Linformer)
  std::vector<std::vector<std::vector<float>>> heads{};  // [heads][queries][visible keys]
};

// While it exists, every attention layer that this thread runs adds its weights to the record, in the order of the
// forward pass. A layer that runs step by step adds one row after the other. The pass must be over one sentence with
// one hypothesis. Reading the weights waits for the device, so a record is for explaining, not for speed; without a
// record nothing is computed. Weights grow with the square of the sentence: beyond `most` of them the record is
// dropped.
class AttentionRecord {
 public:
  explicit AttentionRecord(std::size_t most);
  ~AttentionRecord();
  AttentionRecord(const AttentionRecord&) = delete;
  AttentionRecord& operator=(const AttentionRecord&) = delete;

  // The one of this thread; null if there is none.
  static AttentionRecord* current();

  // `weights` are [heads, nq, nk].
  void add(const AttentionPlace& place, const AttentionConfig& config, const Tensor& weights, const Segments& queries,
           const Segments& keys);
  // Empty if there were too many weights.
  std::vector<RecordedAttention> take() { return std::move(layers_); }
  bool is_too_large() const { return count_ > most_; }

 private:
  std::vector<RecordedAttention> layers_;
  std::size_t most_, count_ = 0;
  AttentionRecord* before_;
};

}  // namespace dragoman::nn
