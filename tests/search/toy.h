#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/random.h"
#include "models/presets.h"
#include "models/seq2seq.h"
#include "search/decode/batch_decoder.h"

// Random models over a handful of words, and searches with them.
namespace dragoman::search::test {

// Ids 0 to 3 are special, as in every tokenizer: unknown, begin, end, pad.
constexpr std::int32_t kBegin = 1, kEnd = 2, kPad = 3;

inline models::ModelConfig toy_config(const std::string& preset, int words) {
  models::ModelConfig config = models::preset(preset);
  config.source_vocabulary = 9;
  config.target_vocabulary = 4 + words;
  if (config.tied == models::Tie::all) config.tied = models::Tie::target;
  config.transformer.size = 8;
  config.transformer.feed_forward = 12;
  config.transformer.encoder_layers = config.transformer.decoder_layers = 2;
  config.transformer.max_positions = 64;
  config.embedding = config.family == models::family_named("transformer") ? 8 : 6;
  config.attention.heads = std::min(config.attention.heads, 2);
  config.recurrent.encoder_hidden = 4;
  config.recurrent.decoder_hidden = config.recurrent.decoder_start == models::DecoderStart::concatenated ? 8 : 6;
  return config;
}

class ToyModel {
 public:
  ToyModel(const std::string& preset, int words, std::uint64_t seed, WeightFormat format = WeightFormat::same)
      : network_(toy_config(preset, words)) {
    network_.parameters().allocate(cpu_device(), DType::f32, seed, false);
    // Larger weights give clear differences, so that rankings do not depend on the last bit.
    float* weights = network_.parameters().weights().data<float>();
    for (Size i = 0; i < network_.parameters().weights().count(); ++i) weights[i] *= 2.5f;
    network_.parameters().pack(format);
  }

  const models::Seq2seq& network() const { return network_; }
  std::int32_t vocabulary() const { return network_.config().target_vocabulary; }

  // Log probabilities of the next token after each of begin, words..., computed as one sequence.
  std::vector<std::vector<double>> distributions(const Tokens& source, const Tokens& words) const {
    std::vector<double> logits;
    decode_whole(source, words, [&](Context& cx, const models::Decoded& decoded, const auto&...) {
      logits = network_.logits(cx, decoded.features).to_host<double>();
    });
    std::vector<std::vector<double>> rows;
    const auto cols = static_cast<std::size_t>(vocabulary());
    for (std::size_t r = 0; r < words.size() + 1; ++r) {
      std::vector<double> row(logits.begin() + static_cast<std::ptrdiff_t>(r * cols),
                              logits.begin() + static_cast<std::ptrdiff_t>((r + 1) * cols));
      const double largest = *std::max_element(row.begin(), row.end());
      double sum = 0;
      for (const double x : row) sum += std::exp(x - largest);
      for (double& x : row) x -= largest + std::log(sum);
      rows.push_back(row);
    }
    return rows;
  }

  struct Weights {
    Attention source, past;
  };
  // The attention when the token after each of begin, words... is predicted, computed as one sequence.
  Weights attention(const Tokens& source, const Tokens& words) const {
    Weights weights;
    decode_whole(
        source, words,
        [&](Context&, const models::Decoded& decoded, const models::Memory& memory, const models::State& state,
            const Segments& rows) {
          weights = {read_attention(network_, decoded, state, memory), read_past_attention(decoded, state, rows)};
        });
    return weights;
  }

 private:
  // Teacher forcing: appends begin, words... to an empty state in one call.
  template <class F>
  void decode_whole(const Tokens& source, const Tokens& words, F&& use) const {
    Workspace workspace(cpu_device());
    Context cx(workspace);
    Tokens target{kBegin};
    target.insert(target.end(), words.begin(), words.end());
    const std::int32_t source_offsets[] = {0, static_cast<std::int32_t>(source.size())};
    const std::int32_t target_offsets[] = {0, static_cast<std::int32_t>(target.size())};
    const models::Memory memory = network_.encode(cx, Packed::from_host(cx, source, source_offsets));
    models::State state = network_.start(cx, memory, false);
    const Packed tokens = Packed::from_host(cx, target, target_offsets);
    use(cx, network_.decode(cx, tokens, memory, state, true), memory, state, tokens.rows);
  }

  models::Seq2seq network_;
};

inline Goal toy_goal(const SearchOptions& options, int max_length) {
  Goal goal;
  goal.options = options;
  goal.end = kEnd;
  goal.never = {kBegin, kPad};
  goal.max_length = max_length;
  return goal;
}

// The result of a search: words without EOS.
struct Found {
  Tokens words;
  double score = 0, log_probability = 0;
  std::vector<float> token_scores;
  Attention attention{}, past_attention{};  // of the words and EOS, if asked for
  bool operator==(const Found&) const = default;
};

inline std::vector<Found> found_by(const DecodingTask& task) {
  const SentenceSearch& search = *task.search;
  std::vector<Found> all;
  for (const Finished& finished : search.best()) {
    Found found{{}, finished.score, search.tree()[finished.node].sum, {}};
    for (const std::int32_t node : search.tree().path(finished.node)) {
      const auto at = static_cast<std::size_t>(node);
      found.words.push_back(search.tree()[node].token);
      found.token_scores.push_back(search.tree()[node].log_probability);
      if (!task.attention.empty()) found.attention.push_back(task.attention[at]);
      if (!task.past_attention.empty()) found.past_attention.push_back(task.past_attention[at]);
    }
    found.words.pop_back();
    all.push_back(found);
  }
  return all;
}

struct ToySentence {
  Tokens source;
  Goal goal;
  Tokens prefix{};
  bool wants_attention = false;
  Tokens words{};  // of a shortlist
};

// Runs all sentences through one decoder, at most `at_once` at a time; new ones join when others leave.
inline std::vector<std::vector<Found>> translate(std::vector<const models::Seq2seq*> models,
                                                 const std::vector<ToySentence>& sentences,
                                                 std::size_t at_once = 1000) {
  std::vector<std::vector<Found>> results(sentences.size());
  const std::size_t members = models.size();
  BatchDecoder decoder(std::move(models));
  std::size_t next = 0;
  while (next < sentences.size() || decoder.size() > 0) {
    std::vector<DecodingTask> tasks;
    for (; next < sentences.size() && static_cast<std::size_t>(decoder.size()) + tasks.size() < at_once; ++next) {
      DecodingTask task;
      task.sources.assign(members, sentences[next].source);
      task.start = {kBegin};
      task.prefix = sentences[next].prefix;
      task.words = sentences[next].words;
      task.wants_attention = sentences[next].wants_attention;
      task.search = SentenceSearch::make(sentences[next].goal);
      task.finished = [&result = results[next]](DecodingTask& done) { result = found_by(done); };
      tasks.push_back(std::move(task));
    }
    if (!tasks.empty())
      decoder.add(std::move(tasks));
    else
      decoder.step();
  }
  return results;
}

inline std::vector<Found> translate_one(const ToyModel& model, const ToySentence& sentence) {
  return translate({&model.network()}, {sentence}).front();
}

inline Tokens random_source(Random& random, int longest = 6) {
  Tokens source(1 + random.below(static_cast<std::uint64_t>(longest)));
  for (std::int32_t& token : source) token = static_cast<std::int32_t>(4 + random.below(5));
  source.push_back(kEnd);
  return source;
}

}  // namespace dragoman::search::test
