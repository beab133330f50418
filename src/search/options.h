#pragma once

#include "base/options.h"
#include "dragoman/translator.h"

// The public options as settings of commands and of the C interface.
namespace dragoman {
template <>
struct EnumNames<Ranking> {
  static constexpr std::pair<Ranking, const char*> list[] = {
      {Ranking::sum, "sum"}, {Ranking::mean, "mean"}, {Ranking::gnmt, "gnmt"}, {Ranking::reward, "reward"}};
};
template <>
struct EnumNames<LongInput> {
  static constexpr std::pair<LongInput, const char*> list[] = {{LongInput::split, "split"},
                                                               {LongInput::refuse, "refuse"}};
};
}  // namespace dragoman

namespace dragoman::search {

struct SearchSettings : SearchOptions {
  template <class V>
  void visit(V& v) {
    v("to", to, "target language, for a model that translates into several (`dragoman inspect` lists them)");
    v("beam", beam, "width of the beam: hypotheses kept at each step; 1 is greedy search", at_least(1));
    v("n-best", n_best, "translations per sentence, at most as many as the beam is wide", at_least(1));
    v("ranking", ranking, "how hypotheses of different lengths are compared");
    v("length-penalty", length_penalty, "exponent of the gnmt ranking");
    v("word-reward", word_reward, "added per token by the reward ranking");
    v("finished", finished, "stop after this many complete hypotheses; 0 means as many as the beam is wide",
      at_least(0));
    v("min-length", min_length, "minimum length of a translation in tokens", at_least(0));
    v("max-length", max_length, "maximum length of a translation in tokens; 0 means 3 times the source length plus 10",
      at_least(0));
    v("sample", sample, "sample n-best translations at random instead of beam search");
    v("temperature", temperature, "temperature of sampling; below 1 favours likely tokens", more_than(0));
    v("top-k", top_k, "sample from the k likeliest tokens only; 0 means from all", at_least(0));
    v("top-p", top_p, "sample from the likeliest tokens that together have this probability (nucleus sampling)",
      between(0, 1));
    v("seed", seed, "seed of sampling");
    v("replace-unknown", replace_unknown, "replace <unk> by the source word with the most attention");
  }
};

struct TranslatorSettings : TranslatorOptions {
  template <class V>
  void visit(V& v) {
    v("batch", batch, "sentences per batch; each thread decodes one batch; 0 means 32, or 256 on a GPU", at_least(0));
    v("max-input-tokens", max_input_tokens,
      "longer lines are split or refused; 0 means 256, or the model's limit if that is less", at_least(0));
    v("long-lines", long_input,
      "split longer lines at sentence ends and join the translations, or refuse them with an error");
    v("document", sentences, "lines are paragraphs: translate their sentences one by one; blank lines stay");
  }
};

}  // namespace dragoman::search
