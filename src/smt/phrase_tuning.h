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
    v("iterations", iterations, "rounds of translating and finding better weights; 0 keeps the usual weights",
      between(0, 1000));
    v("nbest", nbest, "translations of each sentence that a round adds", between(2, 10000));
    v("sentences", sentences, "sentences of the development set to use, the first ones; 0 for all", at_least(0));
    mert.visit(v);
  }
};

// A sentence to tune on.
struct TuningPair {
  std::vector<std::string> source;
  std::string reference;  // words with spaces between them
};

// The words of a translation; copied ones are the source's.
std::vector<std::string> spell(const Derivation& derivation, const text::Vocabulary& target,
                               std::span<const std::string> source);

// Weights under which BLEU of the development set is highest, by rounds of translating it and minimum error rate
// training on all translations seen so far. Gives the weights whose own translations scored best, and that score.
struct Tuned {
  Weights weights;
  double score = 0;
};
Tuned tune_weights(PhraseModel model, const PhraseDecoderConfig& decoder, const text::Vocabulary& source,
                   const text::Vocabulary& target, const std::vector<TuningPair>& pairs,
                   const std::vector<Feature>& active, const TuningConfig& config);

}  // namespace dragoman::smt
