#include "smt/phrase_system.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/byte_stream.h"
#include "data/words.h"

namespace dragoman::smt {
namespace {

std::string words_to_bytes(const text::Vocabulary& vocabulary) {
  ByteWriter writer;
  writer.put_texts(vocabulary.words());
  return writer.take();
}

std::unique_ptr<text::Vocabulary> words_from_bytes(std::string_view bytes, const std::string& what) {
  ByteReader reader(bytes, what);
  std::vector<std::string> words = reader.get_texts();
  reader.expect_end();
  // The tokenizer makes no such words. A line end in one would shift all lines of the output after it.
  for (const std::string& word : words)
    check(!word.empty() && std::none_of(word.begin(), word.end(), data::is_space),
          "{}: damaged: a word that is empty or contains white space", what);
  return std::make_unique<text::Vocabulary>(std::move(words));
}

}  // namespace

std::vector<Feature> PhraseSystemConfig::features() const {
  const bool jumps = decoder.distortion_limit > 0;
  std::vector<Feature> features;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (feature == Feature::language_model && !language_model) continue;
    if (feature == Feature::distance && !jumps) continue;
    if (feature >= Feature::previous_monotone && feature <= Feature::next_apart && !(jumps && reordering)) continue;
    // If all phrases are single words, their number is the number of source words.
    if (feature == Feature::phrases && std::min(phrases.length, decoder.length) == 1) continue;
    features.push_back(feature);
  }
  return features;
}

void PhraseSystemConfig::check_consistent() const {
  check(language_model || (read_arpa.empty() && write_arpa.empty()),
        "read-arpa and write-arpa need a language model, but language-model is false");
  check(read_arpa.empty() || write_arpa.empty(),
        "write-arpa writes a trained language model, but read-arpa replaces training: give one of them");
}

PhraseSystem::PhraseSystem(const PhraseSystemConfig& config)
    : config_(config), source_text_(config.source), target_text_(config.target) {}

void PhraseSystem::adjust(const PhraseSystemConfig& config) {
  check(!config.language_model || language_model_, "this model has no language model");
  config_.decoder = config.decoder;
  config_.tuning = config.tuning;
  config_.reordering = config.reordering;
  config_.language_model = config.language_model;
}

PhraseModel PhraseSystem::model() const {
  PhraseModel model;
  model.table = &table_;
  model.language_model = config_.language_model ? language_model_.get() : nullptr;
  model.weights = weights_;
  return model;
}

std::vector<std::uint32_t> PhraseSystem::target_ids(std::string_view line) const {
  std::vector<std::uint32_t> ids;
  for (const std::string& word : target_text_.words(line))
    ids.push_back(static_cast<std::uint32_t>(target_->find(word)));
  return ids;
}

std::vector<PhraseTranslation> PhraseSystem::translate(std::string_view line, int count) const {
  const std::vector<std::string> source = source_text_.words(line);
  std::vector<std::uint32_t> ids;
  for (const std::string& word : source) ids.push_back(static_cast<std::uint32_t>(source_->find(word)));
  std::vector<PhraseTranslation> translations;
  for (const Derivation& derivation : decode_phrases(model(), config_.decoder, ids, count))
    translations.push_back(written(derivation, source));
  return translations;
}

PhraseTranslation PhraseSystem::written(const Derivation& derivation, std::span<const std::string> source) const {
  PhraseTranslation translation;
  translation.words = spell(derivation, *target_, source);
  translation.text = target_text_.line(translation.words);
  translation.score = derivation.score;
  translation.features = derivation.features;
  int target = 0;
  for (const PhraseStep& step : derivation.steps)
    for (std::size_t i = 0; i < step.words.size(); ++i, ++target) {
      const std::uint32_t linked = step.alignment >> (4 * i) & 15;
      if (linked > 0 && linked <= step.source_end - step.source_begin)
        translation.links.push_back({static_cast<int>(step.source_begin + linked - 1), target});
    }
  align::sort_links(translation.links);
  return translation;
}

PhraseSystem::Sections PhraseSystem::sections() const {
  PhraseSystemConfig config = config_;
  Sections sections;
  sections["config"] = Settings(config).dump();
  sections["weights"] = weights_to_text(weights_);
  sections["tuned_score"] = fmt::format("{:.17g}", tuned_score_);
  sections["source_vocabulary"] = words_to_bytes(*source_);
  sections["target_vocabulary"] = words_to_bytes(*target_);
  sections["source_case"] = source_text_.truecaser().serialize();
  sections["target_case"] = target_text_.truecaser().serialize();
  sections["phrase_table"] = table_.serialize();
  if (config_.language_model) sections["language_model"] = language_model_->serialize();
  return sections;
}

PhraseSystem PhraseSystem::from_sections(const std::map<std::string, std::string_view>& sections) {
  const auto find = [&](const std::string& name) {
    const auto found = sections.find(name);
    check(found != sections.end(), "statistical model: the section '{}' is missing", name);
    return found->second;
  };
  PhraseSystemConfig config;
  Settings(config).read_yaml(std::string(find("config")), "statistical model");
  PhraseSystem system(config);
  system.weights_ = weights_from_text(find("weights"));
  system.tuned_score_ = text_value::parse_number(std::string(find("tuned_score")));
  check(std::isfinite(system.tuned_score_), "statistical model: the score of tuning is not a finite number");
  system.source_ = words_from_bytes(find("source_vocabulary"), "source vocabulary");
  system.target_ = words_from_bytes(find("target_vocabulary"), "target vocabulary");
  system.source_text_.truecaser() = Truecaser::deserialize(find("source_case"));
  system.target_text_.truecaser() = Truecaser::deserialize(find("target_case"));
  system.table_ = PhraseTable::deserialize(find("phrase_table"), static_cast<std::uint32_t>(system.target_->size()));
  if (!config.language_model) return system;
  system.language_model_ = std::make_unique<NgramModel>(NgramModel::deserialize(find("language_model")));
  // A language model from an ARPA file may know fewer words.
  check(system.language_model_->words() <= static_cast<std::uint32_t>(system.target_->size()),
        "statistical model: the language model has {} words but the vocabulary {}", system.language_model_->words(),
        system.target_->size());
  return system;
}

}  // namespace dragoman::smt
