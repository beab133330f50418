#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Translation for programs: load a model file, hand it text, get text back.
//
//   dragoman::Translator translator("model.safetensors");
//   std::string german = translator.translate("Where is the station?");
//
// One Translator may be used by any number of threads at once; what they ask for shares batches. Whatever goes wrong
// is thrown as a std::runtime_error whose message says what was expected, what came and where.
namespace dragoman {

// How the hypotheses of a search are compared. `sum` is their log probability; the others make up for its preference
// for short ones.
enum class Ranking {
  sum,
  mean,   // divided by the length
  gnmt,   // divided by ((5 + length) / 6) ^ length_penalty
  reward  // plus word_reward for every token
};

struct SearchOptions {
  int beam = 4;  // 1 is greedy search
  int n_best = 1;
  Ranking ranking = Ranking::mean;
  double length_penalty = 0.6;
  double word_reward = 0;
  int finished = 0;     // stop when this many hypotheses are complete; 0 means as many as the beam is wide
  int min_length = 0;   // tokens, the end mark not counted
  int max_length = 0;   // 0 means three times the source's and ten more, within what the model can take
  bool sample = false;  // draw n_best translations at random instead of searching for the best
  double temperature = 1;
  int top_k = 0;     // draw from the k likeliest tokens only; 0 means from all
  double top_p = 1;  // draw from the likeliest tokens that together have this probability
  std::uint64_t seed = 1;
  bool replace_unknown = false;  // unknown words are copied from the source word most attended to
  // What to tell beside the text.
  bool alignment = false;
  bool token_scores = false;
  bool attention = false;
  bool tree = false;  // every hypothesis that was ever in the beam
};

// What a request may ask of its translation. Terms that occur in the source force their counterpart into the
// output; banned words never appear in it.
struct Request {
  std::string text;
  std::string prefix;  // the translation begins with this
  std::vector<std::pair<std::string, std::string>> terms;
  std::vector<std::string> banned;
};

// Word `source` (counted from 0 between spaces) was attended to most when word `target` was written.
struct AlignmentLink {
  int source = 0, target = 0;
  bool operator==(const AlignmentLink&) const = default;
};

struct Translation {
  std::string text;
  double score = 0;            // what the search ranked by
  double log_probability = 0;  // natural logarithm, the end mark included
  std::vector<std::string> tokens;
  std::vector<double> token_scores;  // log probabilities, the end mark's last
  std::vector<AlignmentLink> alignment;
  std::vector<std::vector<float>> attention;  // [tokens][source tokens]
};

// One hypothesis that was in the beam, as a node of the tree of all of them; its parent comes before it.
struct TreeNode {
  int parent = -1;
  std::string token;
  double log_probability = 0;  // of the whole hypothesis
  double score = 0;
  bool finished = false;
  bool best = false;  // on the way to the first translation
};

struct TranslationResult {
  std::vector<Translation> translations;  // best first
  std::vector<std::string> source_tokens;
  std::vector<TreeNode> tree;
  int parts = 1;  // into which a long input was cut
};

// What to do with an input that is longer than the model can take: cut it at sentence ends (or, failing that, at
// commas and spaces), translate the parts and join them; or refuse it.
enum class LongInput { split, refuse };

struct TranslatorOptions {
  int threads = 0;           // 0 means one per core, or four for a GPU
  int batch = 0;             // sentences that one thread works on at a time; 0 means 32, or 256 on a GPU
  int max_input_tokens = 0;  // longer inputs are split or refused; 0 means what the model can take, at most 256
  LongInput long_input = LongInput::split;
  bool sentences = false;  // translate every sentence of an input by itself, whatever its length
};

class Translator {
 public:
  // Several files make an ensemble: models of any kind with the same target vocabulary, whose probabilities are
  // averaged.
  explicit Translator(const std::string& model_file, const TranslatorOptions& options = {});
  explicit Translator(const std::vector<std::string>& model_files, const TranslatorOptions& options = {});
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  std::string translate(std::string_view text, const SearchOptions& search = {}) const;
  // All at once, in order; much faster than one by one.
  std::vector<std::string> translate(const std::vector<std::string>& texts, const SearchOptions& search = {}) const;
  // With everything that `search` asks for.
  std::vector<TranslationResult> translate(const std::vector<Request>& requests, const SearchOptions& search) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dragoman
