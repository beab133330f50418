#pragma once

#include <vector>

#include "base/options.h"
#include "smt/phrase_options.h"

// Phrase-based stack decoding (Koehn 2004; 2010) with cube pruning (Huang, Chiang: "Forest Rescoring", ACL 2007).
namespace dragoman::smt {

struct PhraseDecoderConfig {
  // The largest stack and pop limit. A few thousand find all that can be found; memory and time per word are
  // proportional to them, and they may come from a model file.
  static constexpr int kMost = 1 << 16;

  int stack = 100;
  int pops = 300;
  int options = 20;
  int length = kMaxPhraseLength;
  int distortion_limit = 6;

  template <class V>
  void visit(V& v) {
    v("stack", stack, "stack size: hypotheses kept per number of translated words", between(1, kMost));
    v("pops", pops, "cube pruning pop limit: hypotheses expanded per number of translated words", between(1, kMost));
    v("options", options, "number of translations to try per source phrase", between(1, 1000));
    v("length", length, "maximum length of phrases to use, in words; 1 translates word by word",
      between(1, kMaxPhraseLength));
    v("distortion-limit", distortion_limit, "maximum reordering distance in source words; 0 translates monotonically",
      between(0, Coverage::kWindow - kMaxPhraseLength));
  }
};

// One phrase of a translation.
struct PhraseStep {
  std::uint32_t source_begin = 0, source_end = 0;
  std::vector<std::uint32_t> words;
  std::uint32_t alignment = 0;  // see PhraseEntry
  bool copied = false;
};

// A translation as its sequence of phrases, in target order.
struct Derivation {
  std::vector<PhraseStep> steps;
  Features features{};
  double score = 0;

  std::vector<std::uint32_t> words() const;
};

// The best `count` distinct translations, best first (fewer if there are no more). The distortion limit bounds the
// distance from the end of one phrase to the beginning of the next; and a phrase that leaves a gap behind must end
// within the limit after the first word of the gap.
std::vector<Derivation> decode_phrases(const PhraseModel& model, const PhraseDecoderConfig& config, Words source,
                                       int count);

}  // namespace dragoman::smt
