#include "nn/attention/attention_record.h"

#include <algorithm>

namespace dragoman::nn {
namespace {

thread_local AttentionRecord* current_record = nullptr;

}  // namespace

AttentionRecord::AttentionRecord(std::size_t most) : most_(most), before_(current_record) { current_record = this; }
AttentionRecord::~AttentionRecord() { current_record = before_; }
AttentionRecord* AttentionRecord::current() { return current_record; }

void AttentionRecord::add(const AttentionPlace& place, const AttentionConfig& config, const Tensor& weights,
                          const Segments& queries, const Segments& keys) {
  check(queries.count() == 1 && keys.count() == 1,
        "[attention record] expected one sentence, but {} attends from {} sentences to {}", place.name, queries.count(),
        keys.count());
  const auto nq = static_cast<std::size_t>(queries.total()), nk = static_cast<std::size_t>(keys.total());
  count_ += static_cast<std::size_t>(config.heads) * nq * nk;
  if (is_too_large()) return layers_.clear();
  auto layer = std::find_if(layers_.begin(), layers_.end(),
                            [&](const RecordedAttention& other) { return other.name == place.name; });
  if (layer == layers_.end()) {
    layers_.push_back({place.name, place.causal, place.self, config.linformer > 0});
    layer = layers_.end() - 1;
    layer->heads.resize(static_cast<std::size_t>(config.heads));
  }
  const std::vector<float> all = weights.to_host<float>();
  for (std::size_t h = 0; h < layer->heads.size(); ++h)
    for (std::size_t i = 0; i < nq; ++i) {
      const float* const row = all.data() + (h * nq + i) * nk;
      layer->heads[h].emplace_back(row, row + (place.causal ? nk - nq + i + 1 : nk));
    }
}

}  // namespace dragoman::nn
