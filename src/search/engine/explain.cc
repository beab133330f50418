#include "search/engine/explain.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "data/utf8.h"
#include "nn/attention/attention_record.h"
#include "search/decode/attention.h"
#include "search/decode/scores.h"
#include "search/words.h"

namespace dragoman::search {
namespace {

// Rows of the [tokens, vocabulary] matrix of probabilities that are in memory at a time.
constexpr Size kRowsAtOnce = 64;

// Weights of all layers and heads of one explanation. A base Transformer has as many for sentences of 115 tokens.
constexpr std::size_t kMostWeights = 2'000'000;

AttentionKind kind_of(const nn::RecordedAttention& layer) {
  if (layer.causal) return AttentionKind::past;
  return layer.self ? AttentionKind::encoder : AttentionKind::source;
}

std::vector<AttentionLayer> number_layers(std::vector<nn::RecordedAttention> recorded) {
  std::vector<AttentionLayer> layers;
  for (nn::RecordedAttention& one : recorded) {
    const AttentionKind kind = kind_of(one);
    const auto before =
        std::count_if(layers.begin(), layers.end(), [kind](const AttentionLayer& other) { return other.kind == kind; });
    layers.push_back({kind, static_cast<int>(before), std::move(one.name), one.mixtures, std::move(one.heads)});
  }
  return layers;
}

// Leaves out the first `count` tokens that the decoder read, which wrote nothing: their rows, and their columns of the
// past, which are added to the column of the next one.
void leave_out(std::vector<AttentionLayer>& layers, std::size_t count) {
  const auto skipped = static_cast<std::ptrdiff_t>(count);
  for (AttentionLayer& layer : layers) {
    if (layer.kind == AttentionKind::encoder) continue;
    for (auto& head : layer.heads) {
      head.erase(head.begin(), head.begin() + std::min(skipped, std::ssize(head)));
      for (std::vector<float>& row : head) {
        if (layer.kind != AttentionKind::past || row.size() <= count) continue;
        row[count] += std::accumulate(row.begin(), row.begin() + skipped, 0.0f);
        row.erase(row.begin(), row.begin() + skipped);
      }
    }
  }
}

std::vector<TextToken> place_tokens(std::string_view text, std::span<const std::int32_t> ids,
                                    std::span<const text::Span> spans, const text::Tokenizer& tokenizer) {
  const std::vector<int> words = words_of(text, spans);
  const auto within = [&](std::uint32_t at) { return static_cast<int>(std::min<std::size_t>(at, text.size())); };
  std::vector<TextToken> tokens;
  for (std::size_t i = 0; i < ids.size(); ++i)
    tokens.push_back({tokenizer.piece(ids[i]), within(spans[i].begin), within(spans[i].end), words[i]});
  return tokens;
}

// One forced pass over a translation.
class ForcedPass {
 public:
  explicit ForcedPass(const FoundTranslation& found)
      : found_(found),
        target_(found.models[0]->target()),
        workspace_(found.models[0]->network().parameters().weights().device()),
        cx_(workspace_) {
    for (std::size_t m = 0; m < found.models.size(); ++m) run(m);
  }

  std::vector<AttentionLayer> take_layers() { return std::move(layers_); }
  bool is_too_long() const { return is_too_long_; }
  // The weights that alignments are read from; empty if there are none.
  const Attention& attention() const { return attention_; }

  // Fills in log probabilities and alternatives.
  void score(std::vector<WrittenToken>& tokens, int alternatives) {
    const Size rows = features_[0].rows();
    for (Size first = 0; first < rows; first += kRowsAtOnce) {
      const Size count = std::min(kRowsAtOnce, rows - first);
      const std::vector<float> log_probabilities = distribution(first, count);
      const std::size_t vocabulary = log_probabilities.size() / static_cast<std::size_t>(count);
      for (Size r = 0; r < count; ++r) {
        const auto row = std::span(log_probabilities).subspan(static_cast<std::size_t>(r) * vocabulary, vocabulary);
        const auto at = static_cast<std::size_t>(first + r);
        tokens[at].log_probability = static_cast<double>(row[static_cast<std::size_t>(written(at))]);
        tokens[at].alternatives = likeliest(row, at, static_cast<std::size_t>(alternatives));
      }
    }
  }

 private:
  std::int32_t written(std::size_t at) const { return at < found_.ids.size() ? found_.ids[at] : target_.special().end; }

  void run(std::size_t m) {
    const models::Seq2seq& network = found_.models[m]->network();
    const PrecisionScope precision(found_.models[m]->placement());
    const Tokens& source = found_.sources[m];
    Tokens input = found_.start;
    input.insert(input.end(), found_.ids.begin(), found_.ids.end());
    const auto one_sentence = [this](const Tokens& ids) {
      return Packed::from_host(cx_, ids, std::vector<std::int32_t>{0, static_cast<std::int32_t>(ids.size())});
    };
    std::optional<nn::AttentionRecord> record;
    if (m == 0) record.emplace(kMostWeights);
    const models::Memory memory = network.encode(cx_, one_sentence(source));
    models::State state = network.start(cx_, memory, false);
    const models::Decoded decoded = network.decode(cx_, one_sentence(input), memory, state, m == 0);
    const Size silent = std::ssize(found_.start) - 1;
    features_.push_back(decoded.features.row_view(silent, decoded.features.rows() - silent));
    if (m > 0) return;
    layers_ = number_layers(record->take());
    leave_out(layers_, static_cast<std::size_t>(silent));
    is_too_long_ = record->is_too_large();
    attention_ = read_attention(network, decoded, state, memory);
    if (!attention_.empty()) attention_.erase(attention_.begin(), attention_.begin() + silent);
  }

  // Log probabilities of all tokens, for some rows.
  std::vector<float> distribution(Size first, Size count) {
    std::vector<std::vector<float>> logits, log_sums;
    for (std::size_t m = 0; m < features_.size(); ++m) {
      const models::Seq2seq& network = found_.models[m]->network();
      const PrecisionScope precision(found_.models[m]->placement());
      const Tensor rows = features_[m].row_view(first, count), all = network.logits(cx_, rows);
      logits.push_back(all.to_host<float>());
      cx_.release(all);
      log_sums.push_back(network.best_words(cx_, rows, 1).log_sum.to_host<float>());
    }
    return mean_distribution(logits, log_sums);
  }

  std::vector<Alternative> likeliest(std::span<const float> log_probabilities, std::size_t at, std::size_t count) {
    const std::size_t spare = std::min(count + never_.size(), log_probabilities.size());
    std::vector<Alternative> alternatives;
    for (const std::int32_t id : best_tokens(log_probabilities, spare)) {
      if (alternatives.size() == count) break;
      if (std::find(never_.begin(), never_.end(), id) != never_.end()) continue;
      const double log_probability = static_cast<double>(log_probabilities[static_cast<std::size_t>(id)]);
      alternatives.push_back({target_.piece(id), std::exp(log_probability), prefix_with(at, id)});
    }
    return alternatives;
  }

  // The text of the translation up to place `at`, with token `id` there. Words that the vocabulary cannot spell stay as
  // they are in the text.
  std::string prefix_with(std::size_t at, std::int32_t id) const {
    if (id == target_.special().end || id == target_.special().unknown) return "";
    Tokens ids(found_.ids.begin(), found_.ids.begin() + static_cast<std::ptrdiff_t>(at));
    const std::string before = target_.decode(ids);
    ids.push_back(id);
    std::string prefix = target_.decode(ids);
    const std::size_t end = at == 0 ? 0 : std::min<std::size_t>(found_.spans[at - 1].end, found_.text.size());
    if (prefix.starts_with(before)) prefix = found_.text.substr(0, end) + prefix.substr(before.size());
    return data::find_invalid_utf8(prefix) == std::string::npos ? prefix : "";
  }

  const FoundTranslation& found_;
  const text::Tokenizer& target_;
  Tokens never_ = text::never_written(target_, found_.models[0]->info().config.target_vocabulary);
  Workspace workspace_;
  Context cx_;
  std::vector<Tensor> features_;  // of each model, [tokens + 1, size]
  std::vector<AttentionLayer> layers_;
  bool is_too_long_ = false;
  Attention attention_;
};

}  // namespace

Explanation explain(const FoundTranslation& found, int alternatives) {
  const Model& model = *found.models[0];
  Explanation explanation;
  explanation.source = found.source;
  explanation.text = found.text;
  explanation.source_tokens = place_tokens(found.source, found.sources[0], found.source_spans, model.source());
  for (TextToken& place : place_tokens(found.text, found.ids, found.spans, model.target()))
    explanation.tokens.push_back({std::move(place)});
  const auto end = static_cast<int>(found.text.size());
  explanation.tokens.push_back({{model.target().piece(model.target().special().end), end, end}});
  ForcedPass pass(found);
  pass.score(explanation.tokens, alternatives);
  explanation.attention = pass.take_layers();
  explanation.attention_left_out = pass.is_too_long();
  explanation.alignment =
      align_words(pass.attention(), words_of(found.source, found.source_spans), words_of(found.text, found.spans));
  return explanation;
}

}  // namespace dragoman::search
