#pragma once

#include <string>
#include <vector>

#include "smt/mert.h"
#include "smt/phrase_decoder.h"
#include "text/vocabulary.h"

namespace dragoman::smt {

struct TuningConfig {
  int iterations = 8;
  int nbest = 100;
  int sentences = 1000;
  MertConfig mert;

  template <class V>
  void visit(V& v) {
    v("iterations", iterations, "rounds of translation and weight optimisation (MERT); 0 keeps the default weights",
      between(0, 1000));
    v("nbest", nbest, "n-best list size per sentence and round", between(2, 10000));
    v("sentences", sentences, "use only the first sentences of the development set, this many; 0 means all",
      at_least(0));
    mert.visit(v);
  }
};

// A sentence to tune on.
struct TuningPair {
  std::vector<std::string> source;
  std::string reference;  // tokenised
};

// The words of a translation; copied words are taken from the source.
std::vector<std::string> spell(const Derivation& derivation, const text::Vocabulary& target,
                               std::span<const std::string> source);

// Tunes weights for BLEU on the development set: alternates between translating it and minimum error rate training on
// all translations seen so far. Returns the weights whose own translations scored best, and that score.
struct Tuned {
  Weights weights;
  double score = 0;
};
Tuned tune_weights(PhraseModel model, const PhraseDecoderConfig& decoder, const text::Vocabulary& source,
                   const text::Vocabulary& target, const std::vector<TuningPair>& pairs,
                   const std::vector<Feature>& active, const TuningConfig& config);

}  // namespace dragoman::smt
