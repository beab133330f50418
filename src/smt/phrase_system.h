#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "align/decode.h"
#include "align/training.h"
#include "data/corpus.h"
#include "data/filters.h"
#include "smt/phrase_count.h"
#include "smt/phrase_text.h"
#include "smt/phrase_tuning.h"

namespace dragoman::smt {

// A statistical translator: everything `train` and `translate` need to know.
struct PhraseSystemConfig {
  PhraseTextConfig source, target;
  int max_words = 80;
  bool language_model = true, reordering = true;
  align::TrainingOptions training;
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
    v("max-words", max_words, "pairs with a longer side teach no phrases", between(1, 400));
    v("language-model", language_model, "judge translations by a language model of the target side");
    v("reordering", reordering, "judge jumps by the words (lexicalised reordering)");
    v.group("align", training);
    v.group("links", links);
    v.group("ngrams", ngrams);
    v("read-arpa", read_arpa, "use the language model of this ARPA file instead of learning one");
    v("write-arpa", write_arpa, "also write the learned language model to this file, in ARPA format");
    v.group("phrases", phrases);
    v.group("decoder", decoder);
    v.group("tuning", tuning);
  }

  // The features that can make a difference with these settings.
  std::vector<Feature> features() const;
  // Fails where settings contradict each other.
  void check_consistent() const;
};

// What a statistical translator learns from.
struct PhraseData {
  std::vector<data::Corpus> corpora, development;
  data::ReadingOptions reading = {};
  data::FilterOptions filter = {};  // of `corpora`
};

// A translation as text.
struct PhraseTranslation {
  std::string text;
  std::vector<std::string> words;
  align::Links links;  // (source word, word of the translation)
  double score = 0;
  Features features{};
};

// The phrase-based translator: vocabularies, phrase table, language model and weights. Immutable once trained, so
// threads may share one.
class PhraseSystem {
 public:
  // Learns from sentence pairs, then tunes weights on the development set (none: the usual weights).
  static PhraseSystem train(const PhraseSystemConfig& config, const PhraseData& data);

  // Finds weights anew, beginning with those it has.
  void tune(const std::vector<data::Corpus>& development, const data::ReadingOptions& reading = {});
  // Takes over what concerns translating and tuning: decoder, tuning, reordering, whether to use the language model.
  void adjust(const PhraseSystemConfig& config);

  // The best `count` translations of a line, different ones, best first.
  std::vector<PhraseTranslation> translate(std::string_view line, int count = 1) const;

  // The words of a source line, as links count them, and the bytes they stand for.
  std::vector<std::string> source_words(std::string_view line) const { return source_text_.words(line); }
  std::vector<text::Span> source_spans(std::string_view line) const { return source_text_.spans(line); }

  // Word numbers of a target line, as the language model knows them.
  std::vector<std::uint32_t> target_ids(std::string_view line) const;

  const PhraseSystemConfig& config() const { return config_; }
  const Weights& weights() const { return weights_; }
  // BLEU on the development set; negative when weights were not tuned.
  double tuned_score() const { return tuned_score_; }
  const PhraseTable& phrase_table() const { return table_; }
  const NgramModel* language_model() const { return language_model_.get(); }

  // Everything by name, as bytes; the inverse checks them.
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
