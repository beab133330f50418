#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "data/tokenize.h"
#include "phrasebook/phrasebook.h"
#include "tensor/placement.h"
#include "tests/support/temp_folder.h"
#include "text/build.h"
#include "train/trainer.h"

// Training runs that take a fraction of a second: a few sentences of the phrasebook, models with some thousand weights.
namespace dragoman::train {

inline text::LineSource lines_of(const std::vector<std::string>& lines) {
  return [&lines, next = std::size_t{0}](std::string& line) mutable {
    if (next == lines.size()) return false;
    line = lines[next++];
    return true;
  };
}

// A corpus with its vocabularies.
class SmallCorpus {
 public:
  SmallCorpus() {
    const phrasebook::Phrasebook book(3);
    std::vector<std::string> english, german;
    for (std::uint64_t i = 0; i < 48; ++i) {
      const phrasebook::BilingualPhrase pair = book.pair(phrasebook::Split::train, i);
      english.push_back(pair.english);
      german.push_back(pair.german);
    }
    make(english, german);
  }
  SmallCorpus(const std::vector<std::string>& source, const std::vector<std::string>& target) { make(source, target); }

  data::Batcher batches(const data::BatchOptions& options, data::Shard shard = {}) const {
    return {{{store()}}, {source_.get(), target_.get()}, options, shard};
  }
  data::TokenStore store() const {
    return data::open_tokens({.corpus = {.source = folder_.file("source"), .target = folder_.file("target")},
                              .reading = {},
                              .filters = {},
                              .source = source_.get(),
                              .target = target_.get(),
                              .keep_text = false,
                              .cache_folder = folder_.path()});
  }
  const text::Tokenizer& source() const { return *source_; }
  const text::Tokenizer& target() const { return *target_; }

 private:
  void make(const std::vector<std::string>& source, const std::vector<std::string>& target) {
    const auto joined = [](const std::vector<std::string>& lines) {
      std::string text;
      for (const std::string& line : lines) text += line + "\n";
      return text;
    };
    folder_.write("source", joined(source));
    folder_.write("target", joined(target));
    source_ = text::build_words(lines_of(source), {}, {});
    target_ = text::build_words(lines_of(target), {}, {});
  }

  support::TempFolder folder_;
  std::unique_ptr<text::Tokenizer> source_, target_;
};

inline models::ModelConfig tiny_transformer() {
  models::ModelConfig config;
  config.family = models::family_named("transformer");
  config.embedding = 16;
  config.attention.heads = 2;
  config.transformer.size = 16;
  config.transformer.feed_forward = 32;
  config.transformer.encoder_layers = config.transformer.decoder_layers = 1;
  config.transformer.dropout = 0.1;
  return config;
}

inline models::ModelConfig tiny_lstm() {
  models::ModelConfig config;
  config.family = models::family_named("recurrent");
  config.embedding = 12;
  config.recurrent.encoder_hidden = 8;
  config.recurrent.decoder_hidden = 16;
  config.recurrent.input_feeding = true;
  config.recurrent.dropout_in = config.recurrent.dropout_out = 0.2;
  config.attention.score = nn::Score::multiplicative;
  return config;
}

inline TrainOptions quick_options(const std::string& output) {
  TrainOptions options;
  options.output = output;
  options.until = {"20u"};
  options.validate = "10u";
  options.checkpoint = "5u";
  options.log = "5u";
  options.schedule.rate = 0.01;
  return options;
}

inline data::BatchOptions batches_of(std::int64_t sentences) {
  data::BatchOptions options;
  options.plan.size = sentences;
  return options;
}

inline std::unique_ptr<TranslationTask> make_translation(models::ModelConfig config, const SmallCorpus& corpus,
                                                         std::uint64_t seed,
                                                         const Placement& where = {cpu_device(), DType::f32}) {
  config.source_vocabulary = corpus.source().size();
  config.target_vocabulary = corpus.target().size();
  auto task = std::make_unique<TranslationTask>(config);
  task->parameters().allocate(where.device, where.type, seed, true);
  return task;
}

inline bool never() { return false; }

inline std::vector<float> weights_of(Task& task) { return task.parameters().weights().to_host<float>(); }

// The fastest possible task: a weight vector w with the loss |w - 1|^2 per label, regardless of the batch.
class ToyTask final : public Task {
 public:
  ToyTask() {
    parameters_.add("bowl.weight", {2, 4}, nn::Init::normal(1));
    parameters_.add("bowl.bias", {8}, nn::Init::normal(1));
    parameters_.allocate(cpu_device(), DType::f32, 1, true);
  }

  const models::ModelConfig& config() const override { return config_; }
  nn::Parameters& parameters() override { return parameters_; }
  std::uint64_t learn(Context&, const data::Batch& batch, const LossSettings&, double gradient_scale,
                      const LossTotals& losses) override {
    const auto labels = static_cast<double>(batch.labels.size());
    ++batches;
    const double scale = batches == broken_batch ? std::nan("") : batches == exploding_batch ? 1000 : 1;
    double loss = 0;
    for (const nn::Parameters::Entry& entry : parameters_.entries()) {
      if (!entry.trainable) continue;
      const float* const weight = entry.tensor.data<float>();
      auto* const gradient = static_cast<float*>(entry.gradient.data);
      for (Size i = 0; i < entry.shape.count(); ++i) {
        const double gap = static_cast<double>(weight[i]) - 1;
        loss += labels * gap * gap;
        gradient[i] += static_cast<float>(2 * labels * gap * gradient_scale);
      }
    }
    for (const Tensor& sum : {losses.loss(), losses.nll()}) *static_cast<double*>(sum.raw()) += scale * loss;
    return batch.labels.size();
  }
  Tally tally(Workspace&, const data::Batcher&, const data::Batch&) const override {
    Tally tally{.sums = {.tokens = 1}};
    for (const float weight : parameters_.weights().to_host<float>()) tally.sums.nll += std::pow(weight - 1, 2);
    return tally;
  }

  int batches = 0, broken_batch = -1, exploding_batch = -1;

 private:
  models::ModelConfig config_;
  nn::Parameters parameters_;
};

}  // namespace dragoman::train
