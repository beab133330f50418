#include "search/scorer.h"

#include <numeric>

#include "base/threads.h"

namespace dragoman::search {
namespace {

// Target tokens that one thread works on at a time.
constexpr std::size_t kBatchTokens = 2048;

struct Prepared {
  Tokens source, target;
};

Prepared prepare(const Model& model, const TextPair& pair, std::uint64_t line) {
  Prepared ids{model.encode_source(pair.source), {}};
  model.target().encode(pair.target, ids.target);
  const auto marks = static_cast<std::size_t>(model.info().source_begin + model.info().source_end);
  check(static_cast<int>(ids.source.size() - marks) <= model.max_source(),
        "line {}: a source of {} tokens is longer than the {} that {} can take", line, ids.source.size() - marks,
        model.max_source(), model.path());
  check(static_cast<int>(ids.target.size()) <= model.max_target(),
        "line {}: a target of {} tokens is longer than the {} that {} can take", line, ids.target.size(),
        model.max_target(), model.path());
  return ids;
}

void score_batch(const Model& model, std::span<const Prepared> batch, std::span<PairScore> scores) {
  const text::SpecialIds special = model.target().special();
  Tokens source, target, labels, source_offsets{0}, target_offsets{0};
  for (const Prepared& ids : batch) {
    source.insert(source.end(), ids.source.begin(), ids.source.end());
    source_offsets.push_back(static_cast<std::int32_t>(source.size()));
    target.push_back(special.begin);
    target.insert(target.end(), ids.target.begin(), ids.target.end());
    target_offsets.push_back(static_cast<std::int32_t>(target.size()));
    labels.insert(labels.end(), ids.target.begin(), ids.target.end());
    labels.push_back(special.end);
  }
  const models::Seq2seq& network = model.network();
  Workspace workspace(network.parameters().weights().device());
  Context cx(workspace);
  const models::Memory memory = network.encode(cx, Packed::from_host(cx, source, source_offsets));
  models::State state = network.start(cx, memory, false);
  const models::Decoded decoded = network.decode(cx, Packed::from_host(cx, target, target_offsets), memory, state);
  const Tensor wanted = cx.from_host<std::int32_t>(labels, {std::ssize(labels)});
  const std::vector<float> nll = network.loss(cx, decoded.features, wanted, {}).nll.to_host<float>();
  for (std::size_t i = 0; i < batch.size(); ++i)
    for (std::int32_t at = target_offsets[i]; at < target_offsets[i + 1]; ++at) {
      scores[i].log_probabilities.push_back(-nll[static_cast<std::size_t>(at)]);
      scores[i].target.push_back(labels[static_cast<std::size_t>(at)]);
    }
}

}  // namespace

double PairScore::sum() const {
  return std::accumulate(log_probabilities.begin(), log_probabilities.end(), 0.0,
                         [](double sum, float value) { return sum + static_cast<double>(value); });
}

std::vector<PairScore> score_pairs(const Model& model, const std::vector<TextPair>& pairs, std::uint64_t first_line,
                                   const std::function<void(std::size_t)>& advance) {
  std::vector<Prepared> prepared;
  std::vector<std::size_t> begins{0};
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    prepared.push_back(prepare(model, pairs[i], first_line + i));
    const std::size_t here = prepared.back().target.size() + 1;
    if (tokens > 0 && tokens + here > kBatchTokens) {
      begins.push_back(i);
      tokens = 0;
    }
    tokens += here;
  }
  begins.push_back(pairs.size());
  std::vector<PairScore> scores(pairs.size());
  threads::each(std::ssize(begins) - 1, [&](std::int64_t b) {
    const std::size_t first = begins[static_cast<std::size_t>(b)];
    const std::size_t count = begins[static_cast<std::size_t>(b) + 1] - first;
    if (count == 0) return;
    score_batch(model, std::span(prepared).subspan(first, count), std::span(scores).subspan(first, count));
    advance(count);
  });
  return scores;
}

}  // namespace dragoman::search
