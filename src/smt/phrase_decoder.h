#pragma once

#include <vector>

#include "base/options.h"
#include "smt/phrase_options.h"

// Phrase-based decoding with stacks (Koehn 2004), filled by cube pruning (Huang, Chiang: "Forest Rescoring", ACL 2007).
namespace dragoman::smt {

struct PhraseDecoderConfig {
  int stack = 100;
  int pops = 300;
  int options = 20;
  int length = kMaxPhraseLength;
  int distortion_limit = 6;

  template <class V>
  void visit(V& v) {
    v("stack", stack, "hypotheses kept for each number of translated words", between(1, 1 << 30));
    v("pops", pops, "hypotheses tried for each number of translated words", between(1, 1 << 30));
    v("options", options, "translations tried for each source phrase", between(1, 1000));
    v("length", length, "longest phrases used, in words; 1 translates word for word", between(1, kMaxPhraseLength));
    v("distortion-limit", distortion_limit, "longest jump in the source, in words; 0 keeps the order",
      between(0, Coverage::kWindow - kMaxPhraseLength));
  }
};

// One phrase of a translation.
struct PhraseStep {
  std::uint32_t source_begin = 0, source_end = 0;
  std::vector<std::uint32_t> words;
  std::uint32_t alignment = 0;  // as PhraseEntry's
  bool copied = false;
};

// A translation and how it came about, phrase by phrase in the order of the translation.
struct Derivation {
  std::vector<PhraseStep> steps;
  Features features{};
  double score = 0;

  std::vector<std::uint32_t> words() const;
};

// The best `count` translations, different ones, best first (fewer where there are no more). Jumps: the distance from
// the end of one phrase to the begin of the next is at most the limit, and a phrase that leaves a gap behind ends at
// most the limit after the first word of the gap.
std::vector<Derivation> decode_phrases(const PhraseModel& model, const PhraseDecoderConfig& config, Words source,
                                       int count);

}  // namespace dragoman::smt
