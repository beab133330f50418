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
struct EnumNames<Protect> {
  static constexpr std::pair<Protect, const char*> list[] = {
      {Protect::automatic, "auto"}, {Protect::on, "on"}, {Protect::off, "off"}};
};
template <>
struct EnumNames<LongInput> {
  static constexpr std::pair<LongInput, const char*> list[] = {{LongInput::split, "split"},
                                                               {LongInput::refuse, "refuse"}};
};
}  // namespace dragoman

namespace dragoman::search {

// Upper limits of what one request may ask for, so that none can take the whole machine. They are far beyond what
// improves a translation: studies of wide beams end at 1000 (Koehn & Knowles 2017; Stahlberg & Byrne 2019), and
// sentences have tens of tokens.
constexpr int kMostHypotheses = 1000;   // of a beam, an n-best list or a set of samples
constexpr int kMostTokens = 10'000;     // of a source or a target
constexpr int kMostSentences = 10'000;  // of a batch
constexpr std::size_t kMostBanned = 1000;
constexpr int kMostAlternatives = 100;  // per token of an explanation

struct SearchSettings : SearchOptions {
  // How many translations to return, as the C interface describes it. A command may describe its own setting.
  template <class V>
  void visit_n_best(V& v) {
    v("n-best", n_best, "translations per sentence, at most as many as the beam is wide", between(1, kMostHypotheses));
  }
  template <class V>
  void visit(V& v) {
    visit(v, [this](V& here) { visit_n_best(here); });
  }
  template <class V, class NBest>
  void visit(V& v, NBest&& n_best_setting) {
    v("to", to, "target language, for a model that translates into several (`dragoman inspect` lists them)");
    v("beam", beam, "width of the beam: hypotheses kept at each step; 1 is greedy search", between(1, kMostHypotheses));
    n_best_setting(v);
    v("ranking", ranking, "how hypotheses of different lengths are compared");
    v("length-penalty", length_penalty, "exponent of the gnmt ranking", between(-10, 10));
    v("word-reward", word_reward, "added per token by the reward ranking", between(-1000, 1000));
    v("finished", finished, "stop after this many complete hypotheses; 0 means as many as the beam is wide",
      between(0, kMostHypotheses));
    v("min-length", min_length, "minimum length of a translation in tokens", between(0, kMostTokens));
    v("max-length", max_length, "maximum length of a translation in tokens; 0 means 3 times the source length plus 10",
      between(0, kMostTokens));
    v("truncate", truncate,
      "let a translation of max-length tokens end there as it is; otherwise the probability of the end of the sentence "
      "counts");
    v("score-prefix", score_prefix, "count the probabilities of the words of a prefix");
    v("sample", sample, "sample n-best translations at random instead of beam search");
    v("temperature", temperature, "temperature of sampling; below 1 favours likely tokens", between(0.001, 1000));
    v("top-k", top_k, "sample from the k likeliest tokens only; 0 means from all", at_least(0));
    v("top-p", top_p, "sample from the likeliest tokens that together have this probability (nucleus sampling)",
      between(0.001, 1));
    v("seed", seed, "seed of sampling");
    v("replace-unknown", replace_unknown, "replace <unk> by the source word with the most attention");
    v("protect", protect,
      "search again if a translation loses addresses, placeholders, digits or the like, or repeats words without end; "
      "auto: if the card of the model has the entry `protect: on`");
    v.only_if(
        "length-penalty", [this] { return ranking == Ranking::gnmt; }, "only --ranking gnmt uses it");
    v.only_if(
        "word-reward", [this] { return ranking == Ranking::reward; }, "only --ranking reward uses it");
    v.only_if(
        "temperature top-k top-p seed", [this] { return sample; }, "only sampling (--sample) uses it");
    v.only_if(
        "beam finished protect", [this] { return !sample; }, "sampling (--sample) does not search");
  }
};

struct TranslatorSettings : TranslatorOptions {
  template <class V>
  void visit(V& v) {
    v("batch", batch, "sentences per batch; each thread decodes one batch; 0 means 32, or 256 on a GPU",
      between(0, kMostSentences));
    v("max-input-tokens", max_input_tokens,
      "longer lines are split or refused; 0 means 256, or the longest sentence that the model learned from if that is "
      "less",
      between(0, kMostTokens));
    v("long-lines", long_input,
      "split longer lines at sentence ends and join the translations, or refuse them with an error");
    v("document", sentences, "lines are paragraphs: translate their sentences one by one; blank lines stay");
    v("shortlist", shortlist,
      "on a CPU, use the lexical shortlist of the model, if it has one (`dragoman shortlist`): faster, and "
      "translations consist of likely words only");
  }
};

// Throws Error with the reason if a value is outside its range or if the options do not make sense together.
void check_options(const SearchOptions& options);
void check_options(const TranslatorOptions& options);

}  // namespace dragoman::search
