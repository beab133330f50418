#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "align/decode.h"
#include "align/em_training.h"
#include "data/corpus.h"
#include "data/filters.h"
#include "smt/phrase_count.h"
#include "smt/phrase_text.h"
#include "smt/phrase_tuning.h"

namespace dragoman::smt {

// Settings of a phrase-based system, for training and translation.
struct PhraseSystemConfig {
  PhraseTextConfig source, target;
  int max_words = 80;
  bool language_model = true, reordering = true;
  align::EmOptions training;
  align::DecodingOptions links{.symmetrise = align::Symmetrisation::grow_diag_final_and};
  NgramConfig ngrams;
  std::string read_arpa, write_arpa;
  PhraseTableConfig phrases;
  PhraseDecoderConfig decoder;
  TuningConfig tuning;

  template <class V>
  void visit(V& v) {
    v.group("source", source);
    v.group("target", target);
    v("max-words", max_words, "train only on pairs with at most this many words per side", between(1, 400));
    v("language-model", language_model, "use an n-gram language model of the target side");
    v("reordering", reordering, "use a lexicalised reordering model");
    v.group("align", training);
    v.group("links", links);
    v.group("ngrams", ngrams);
    v("read-arpa", read_arpa, "use the language model in this ARPA file instead of training one");
    v("write-arpa", write_arpa, "also write the trained language model to this ARPA file");
    v.group("phrases", phrases);
    v.group("decoder", decoder);
    v.group("tuning", tuning);
    v.only_if(
        "ngrams. read-arpa write-arpa", [this] { return language_model; },
        "there is no language model (--no-statistical.language-model)");
    v.only_if(
        "ngrams.", [this] { return read_arpa.empty(); }, "the language model comes from --statistical.read-arpa");
  }

  // The features that these settings use.
  std::vector<Feature> features() const;
  // Fails if settings contradict each other.
  void check_consistent() const;
};

// Training data of a phrase-based system.
struct PhraseData {
  std::vector<data::Corpus> corpora, development;
  data::ReadingOptions reading = {};
  data::FilterOptions filter = {};  // applied to `corpora`
};

// A translation as text.
struct PhraseTranslation {
  std::string text;
  std::vector<std::string> words;
  align::Links links;  // (source word, target word)
  double score = 0;
  Features features{};
};

// A phrase-based translation system (Koehn et al. 2003): vocabularies, phrase table, language model and weights.
// Immutable once trained, so threads may share one.
class PhraseSystem {
 public:
  // Trains on sentence pairs, then tunes the weights on the development set; without one, keeps the default weights.
  static PhraseSystem train(const PhraseSystemConfig& config, const PhraseData& data);

  // Tunes the weights again, starting from the current ones.
  void tune(const std::vector<data::Corpus>& development, const data::ReadingOptions& reading = {});
  // Takes over the settings of translation and tuning: decoder, tuning, reordering and whether to use the language
  // model.
  void adjust(const PhraseSystemConfig& config);

  // The best `count` distinct translations of a line, best first.
  std::vector<PhraseTranslation> translate(std::string_view line, int count = 1) const;

  // The words of a source line, numbered as in links, and their bytes.
  std::vector<std::string> source_words(std::string_view line) const { return source_text_.words(line); }
  std::vector<text::Span> source_spans(std::string_view line) const { return source_text_.spans(line); }

  // Word ids of a target line, for the language model.
  std::vector<std::uint32_t> target_ids(std::string_view line) const;

  const PhraseSystemConfig& config() const { return config_; }
  const Weights& weights() const { return weights_; }
  // BLEU on the development set; negative if the weights were not tuned.
  double tuned_score() const { return tuned_score_; }
  const PhraseTable& phrase_table() const { return table_; }
  const NgramModel* language_model() const { return language_model_.get(); }

  // The system as named byte strings; from_sections() checks and restores them.
  using Sections = std::map<std::string, std::string>;
  Sections sections() const;
  static PhraseSystem from_sections(const std::map<std::string, std::string_view>& sections);

 private:
  friend class PhraseTrainer;

  explicit PhraseSystem(const PhraseSystemConfig& config);
  PhraseModel model() const;
  PhraseTranslation written(const Derivation& derivation, std::span<const std::string> source) const;

  PhraseSystemConfig config_;
  PhraseText source_text_, target_text_;
  std::unique_ptr<text::Vocabulary> source_, target_;
  PhraseTable table_;
  std::unique_ptr<NgramModel> language_model_;
  Weights weights_ = default_weights();
  double tuned_score_ = -1;
};

}  // namespace dragoman::smt
