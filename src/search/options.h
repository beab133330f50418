#pragma once

#include "base/options.h"
#include "dragoman/translator.h"

// The public structs as settings of a command.
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
    v("beam", beam, "hypotheses that are followed at a time; 1 is greedy search", at_least(1));
    v("n-best", n_best, "translations to give of each sentence, at most as many as the beam is wide", at_least(1));
    v("ranking", ranking, "how hypotheses of different lengths are compared");
    v("length-penalty", length_penalty, "exponent of the gnmt ranking");
    v("word-reward", word_reward, "added for every token by the reward ranking");
    v("finished", finished, "stop when this many hypotheses are complete; 0 means as many as the beam is wide",
      at_least(0));
    v("min-length", min_length, "tokens that a translation has at least", at_least(0));
    v("max-length", max_length, "tokens that a translation has at most; 0 means 10 more than 3 times the source's",
      at_least(0));
    v("sample", sample, "draw n-best translations at random instead of searching for the best");
    v("temperature", temperature, "below 1 likely tokens are drawn even more often", more_than(0));
    v("top-k", top_k, "draw from the k likeliest tokens only; 0 means from all", at_least(0));
    v("top-p", top_p, "draw from the likeliest tokens that together have this probability", between(0, 1));
    v("seed", seed, "of the random numbers");
    v("replace-unknown", replace_unknown, "copy the source word most attended to where the model writes <unk>");
  }
};

struct TranslatorSettings : TranslatorOptions {
  template <class V>
  void visit(V& v) {
    v("batch", batch, "sentences that one thread works on at a time; 0 means 32, or 256 on a GPU", at_least(0));
    v("max-input-tokens", max_input_tokens,
      "longer lines are cut or refused; 0 means 256, or less where the model "
      "can take only less",
      at_least(0));
    v("long-lines", long_input, "cut longer lines at sentence ends and join their translations, or stop");
    v("document", sentences, "lines are paragraphs: translate their sentences one by one; blank lines stay");
  }
};

}  // namespace dragoman::search
