#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "exchange/export.h"
#include "models/presets.h"
#include "models/seq2seq.h"
#include "store/model_file.h"
#include "tests/support/temp_folder.h"
#include "text/build.h"
#include "text/language_tags.h"

namespace dragoman::exchange {

// A small model with random weights, to be exported: a Transformer with norms after each block and subwords. Change
// `info`, then write().
class ExportedCase {
 public:
  ExportedCase() {
    info.config.attention.heads = 2;
    models::TransformerConfig& t = transformer();
    t.size = info.config.embedding = 8;
    t.feed_forward = 12;
    t.encoder_layers = t.decoder_layers = 2;
    t.max_positions = 32;
    use_subwords({});
  }

  models::TransformerConfig& transformer() { return info.config.transformer; }

  void use_subwords(const text::SubwordText& text) {
    set_tokenizers(*subwords(kSource, text), *subwords(kTarget, text));
  }
  void use_words() {
    const auto words = [](const char* line) { return text::build_words(lines(line, 1), {}, {}); };
    set_tokenizers(*words(kSource), *words(kTarget));
  }
  void share_vocabulary() {
    const auto both = subwords(std::string(kSource) + " " + kTarget, {});
    set_tokenizers(*both, *both);
  }
  // After share_vocabulary().
  void add_languages(const std::vector<std::string>& languages) {
    const text::TaggedTokenizer tagged(text::deserialize_tokenizer(info.source_tokenizer), languages, 1);
    set_tokenizers(tagged, tagged);
  }
  // The architecture of a preset, in these sizes.
  void use_preset(const std::string& name) {
    const int source = info.config.source_vocabulary, target = info.config.target_vocabulary;
    info.config = models::preset(name);
    info.config.source_vocabulary = source;
    info.config.target_vocabulary = target;
    if (info.config.tied == models::Tie::all) info.config.tied = models::Tie::target;
    info.config.embedding = transformer().size = 8;
    transformer().feed_forward = 12;
    transformer().encoder_layers = transformer().decoder_layers = 2;
    info.config.attention.heads = std::min(info.config.attention.heads, 2);
    info.config.recurrent.encoder_hidden = 4;
    info.config.recurrent.decoder_hidden = 8;
  }

  void write() {
    network_ = std::make_unique<models::Seq2seq>(info.config);
    network_->parameters().allocate(cpu_device(), DType::f32, 5, false);
    // Parameters that begin with 0 or 1 differ, too.
    float* const numbers = network_->parameters().weights().data<float>();
    for (Size i = 0; i < network_->parameters().weights().count(); ++i)
      numbers[i] += 0.001f * static_cast<float>(i % 97);
    store::save_model(path(), info, network_->parameters());
  }
  ExportSummary write_as(ExportFormat format) const { return export_model(path(), format, exported()); }

  std::string path() const { return folder.file("model.safetensors"); }
  std::string exported() const { return folder.file("exported"); }
  nlohmann::json json(const std::string& name) const {
    return nlohmann::json::parse(std::ifstream(exported() + "/" + name));
  }
  std::vector<float> weights(const std::string& name) const {
    return network_->parameters().weights_of(*network_->parameters().find(name)).to_host<float>();
  }
  std::vector<Size> shape(const std::string& name) const {
    const Shape& found = network_->parameters().find(name)->shape;
    std::vector<Size> sizes;
    for (int axis = 0; axis < found.rank(); ++axis) sizes.push_back(found[axis]);
    return sizes;
  }

  support::TempFolder folder;
  store::ModelInfo info;

 private:
  static constexpr const char* kSource = "the red dog sees a house where is it now";
  static constexpr const char* kTarget = "der rote Hund sieht ein Haus wo ist es jetzt";

  static text::LineSource lines(std::string line, int count) {
    return [line = std::move(line), left = count](std::string& next) mutable {
      next = line;
      return left-- > 0;
    };
  }
  static std::unique_ptr<text::Tokenizer> subwords(const std::string& line, const text::SubwordText& text) {
    return text::build_subwords(lines(line, 60), text,
                                {.kind = text::SubwordKind::bpe,
                                 .size = 60,
                                 .multiple = 1,
                                 .character_coverage = 1,
                                 .byte_fallback = false,
                                 .seed = 1,
                                 .sample = 1000});
  }
  void set_tokenizers(const text::Tokenizer& source, const text::Tokenizer& target) {
    info.source_tokenizer = source.serialize();
    info.target_tokenizer = target.serialize();
    info.config.source_vocabulary = source.size();
    info.config.target_vocabulary = target.size();
  }

  std::unique_ptr<models::Seq2seq> network_;
};

}  // namespace dragoman::exchange
