#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/alignment.h"
#include "dragoman/error.h"
#include "dragoman/explanation.h"
#include "dragoman/export.h"
#include "dragoman/precision.h"

// Translation as a library: load a model file, pass text in, get text back.
//
//   dragoman::Translator translator("model.safetensors");
//   std::string german = translator.translate("Where is the station?");
//
// A Translator may be used by any number of threads at once; their requests share batches. Failures are thrown as
// dragoman::Error, whose message says what was expected, what was found and where.
namespace dragoman {

namespace search {
class TextTranslator;
}

// How search ranks hypotheses. `sum` is the log probability; the others compensate for its preference for short
// hypotheses.
enum class Ranking {
  sum,
  mean,   // divided by the length
  gnmt,   // divided by ((5 + length) / 6) ^ length_penalty
  reward  // plus word_reward per token
};

// Whether translations keep addresses, numbers, placeholders and the like (SearchOptions::protect). `automatic`: if the
// card of the model, or of the first one of an ensemble, has the entry "protect: on".
enum class Protect { automatic, on, off };

// Numbers have limits, such as a beam of 1,000 (`dragoman translate --help` lists them); others are refused with Error.
struct SearchOptions {
  int beam = 4;  // 1 is greedy search
  int n_best = 1;
  Ranking ranking = Ranking::mean;
  double length_penalty = 0.6;
  double word_reward = 0;
  int finished = 0;    // stop after this many complete hypotheses; 0 means as many as the beam is wide
  int min_length = 0;  // in tokens, without the end-of-sentence token
  int max_length = 0;  // 0 means 3 times the source length plus 10, within the model's limit
  // Let translations of max_length tokens end there as they are. Otherwise the end-of-sentence token must follow, and
  // its log probability counts.
  bool truncate = false;
  bool score_prefix = true;  // the log probabilities of a prefix count
  bool sample = false;       // sample n_best translations at random instead of beam search
  double temperature = 1;
  int top_k = 0;     // sample from the k likeliest tokens only; 0 means from all
  double top_p = 1;  // sample from the likeliest tokens that together have this probability (nucleus sampling)
  std::uint64_t seed = 1;
  // Replace <unk> by the source word with the most attention. This and `alignment` are refused by models that do not
  // attend to single source words.
  bool replace_unknown = false;
  // What to return in addition to the text.
  bool alignment = false;
  bool token_scores = false;
  bool attention = false;
  bool tree = false;  // all hypotheses that were ever in the beam
  // Explain the best translation: what every layer attended to and which tokens were likely. Costs one more pass over
  // the finished translation.
  bool explain = false;
  int alternatives = 5;  // likeliest tokens per place of an explanation
  std::string to{};      // target language, such as "fr", for models that translate into several; empty for the others
  std::string from{};    // source language, for models that have to be told; others ignore it
  // A protected translation that lacks addresses, paths, placeholders, tags, emoji or digits of the text, or repeats
  // the same words four times in a row, is searched for again, with these parts as terms and the repetition forbidden;
  // the new one counts only if it lacks fewer parts and no other ones. A text without letters and digits stays as it
  // is. Not for sampling.
  Protect protect = Protect::automatic;
};

// A text to translate and its constraints. If the source contains the first of a pair of terms, the translation must
// contain the second. Terms and the prefix appear exactly as they are spelled here. Banned words never appear; there
// may be at most 1,000 of them, and 64 terms that the text needs.
struct Request {
  std::string text;
  std::string prefix;  // the translation begins with this
  std::vector<std::pair<std::string, std::string>> terms;
  std::vector<std::string> banned;
  std::string to{};    // target language of this request; empty means SearchOptions::to
  std::string from{};  // source language, likewise
  // The source as tokens of the model's vocabulary instead of `text`, and the prefix as tokens instead of `prefix`. A
  // token that the vocabulary lacks is unknown. The marks of a sentence (BOS, EOS) are added if they are missing.
  // Tokens are never split into parts.
  std::vector<std::string> tokens{}, prefix_tokens{};
};

struct Translation {
  std::string text;
  double score = 0;            // the search ranks by this
  double log_probability = 0;  // natural logarithm, the end-of-sentence token included
  std::vector<std::string> tokens;
  std::vector<double> token_scores;      // log probabilities; the last one is that of EOS
  std::vector<AlignmentLink> alignment;  // between words separated by spaces
  // With `alignment`: the same between stretches of bytes of the text and of the translation, in the order of the
  // translation. Each invalid byte of the text counts as U+FFFD.
  std::vector<SpanLink> span_links;
  std::vector<std::vector<float>> attention;  // [tokens][source tokens]
  // With `attention`, for models that attend to their own past: row i has i + 1 weights. The first one belongs to the
  // decoder's initial state, the others to the states that wrote tokens 0 to i - 1. Empty for other models.
  std::vector<std::vector<float>> past_attention;
};

struct TranslationResult {
  std::vector<Translation> translations;  // best first
  std::vector<std::string> source_tokens;
  std::vector<TreeNode> tree;
  std::vector<Explanation> explanations;  // one per part, unless the text is blank
  int parts = 1;                          // the number of parts that a long input was split into
};

// How to handle an input beyond the model's limit: split it at sentence ends (or, if there are none, at commas and
// spaces), translate the parts and join the translations; or refuse it with an error.
enum class LongInput { split, refuse };

struct TranslatorOptions {
  std::string device = "auto";  // "cpu", "cuda", "cuda:1", or "auto": a GPU if there is one
  Precision precision = Precision::automatic;
  int threads = 0;           // CPU threads to use, at most 1024; 0 means one per core
  int workers = 0;           // batches decoded at the same time; 0 means one per thread, or four on a GPU
  int batch = 0;             // sentences per batch; 0 means 32, or 256 on a GPU
  int max_input_tokens = 0;  // longer inputs are split or refused; 0 means the model's limit, at most 256
  LongInput long_input = LongInput::split;
  bool sentences = false;  // translate every sentence of an input by itself, regardless of its length
  bool shortlist = true;   // a single model on a CPU: use its lexical shortlist, if the file contains one
};

// How a document is read. The options of elements are for XML.
struct DocumentOptions {
  std::string format = "text";                // text, html, xml, srt (subtitles), po (message catalogues) or markdown
  std::vector<std::string> ignored_tags{};    // elements whose text is not translated
  std::vector<std::string> splitting_tags{};  // elements that end sentences
  std::vector<std::string> non_splitting_tags{};
  bool retranslate = false;  // po: also the entries that have a translation
};

// Device, precision and threads are per object: translators with different ones may coexist.
class DRAGOMAN_API Translator {
 public:
  // Several files make an ensemble: models of any kind with the same target vocabulary, whose probabilities are
  // averaged.
  explicit Translator(const std::string& model_file, const TranslatorOptions& options = {});
  explicit Translator(const std::vector<std::string>& model_files, const TranslatorOptions& options = {});
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  std::string translate(std::string_view text, const SearchOptions& search = {}) const;
  // All texts at once, in order; much faster than one by one.
  std::vector<std::string> translate(const std::vector<std::string>& texts, const SearchOptions& search = {}) const;
  // Returns everything that `search` requests.
  std::vector<TranslationResult> translate(const std::vector<Request>& requests, const SearchOptions& search) const;

  // A document with its text translated and its markup kept. Throws Error if the format is unknown or if the document
  // is not of this format.
  std::string translate_document(const std::string& document, const DocumentOptions& options = {},
                                 const SearchOptions& search = {}) const;

  // The languages that SearchOptions::to chooses from; none for a model that translates into one.
  std::vector<std::string> languages() const;
  // Whether SearchOptions::alignment and replace_unknown are possible.
  bool aligns() const;

 private:
  std::unique_ptr<search::TextTranslator> translator_;
};

}  // namespace dragoman
