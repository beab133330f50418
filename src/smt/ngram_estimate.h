#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/external_sort.h"
#include "base/options.h"
#include "smt/words.h"

// Interpolated modified Kneser-Ney smoothing (Chen, Goodman: "An Empirical Study of Smoothing Techniques for Language
// Modeling", 1998), estimated by external sorting and merging (Heafield, Pouzyrevsky, Clark, Koehn: "Scalable Modified
// Kneser-Ney Language Model Estimation", ACL 2013), so that neither text nor model must fit in memory.
namespace dragoman::smt {

constexpr int kMaxNgramOrder = 6;

// Special words: their ids in text::Vocabulary.
constexpr std::uint32_t kUnknownWord = 0, kSentenceBegin = 1, kSentenceEnd = 2, kPadding = 3;

struct NgramConfig {
  int order = 5;
  int min_count = 1;
  int memory = 1024;
  std::string folder;

  template <class V>
  void visit(V& v) {
    v("order", order, "order of the language model (length of its longest n-grams)", between(1, kMaxNgramOrder));
    v("min-count", min_count, "keep n-grams of three or more words that occur at least this often", at_least(1));
    v("memory", memory, "memory in MiB for sorting n-grams; the rest goes to disk", between(1, 1 << 20));
    v("folder", folder, "folder for sorting on disk; empty means the system's temporary folder");
  }
};

// One n-gram of the finished model.
struct NgramEntry {
  std::vector<std::uint32_t> words;  // w1 .. wn
  double probability = 0;            // P(wn | w1 .. wn-1); 0 for <s>
  double backoff = 1;                // weight of the lower order for words unseen after this context
  bool is_context = false;           // whether longer n-grams start with this one
};

// The discounts of one order for counts of 1, 2, and 3 or more.
using Discounts = std::array<double, 3>;

// Add sentences, finish, then read the n-grams order by order. Words are ids of text::Vocabulary.
class NgramEstimator {
 public:
  // `vocabulary_size` includes the special words. Every id below it gets a probability.
  NgramEstimator(const NgramConfig& config, std::uint32_t vocabulary_size);

  // A sentence without <s> and </s>.
  void add(Words sentence);
  void finish();

  int order() const { return config_.order; }
  std::uint32_t vocabulary_size() const { return vocabulary_size_; }
  // Number of n-grams of order n, n >= 1.
  std::uint64_t count(int n) const { return results_[static_cast<std::size_t>(n - 1)].size(); }
  const Discounts& discounts(int n) const { return discounts_[static_cast<std::size_t>(n - 1)]; }
  // Calls body for every n-gram of order n, sorted by its last word, then the one before it, and so on.
  void visit(int n, const std::function<void(const NgramEntry&)>& body);

 private:
  using Key = std::array<std::uint32_t, kMaxNgramOrder>;
  // `key` holds the words in comparison order: w1 .. wn or wn .. w1.
  struct Count {
    Key key{};
    std::uint32_t raw = 0, adjusted = 0;
    bool before(const Count& other) const { return key < other.key; }
    bool same(const Count& other) const { return key == other.key; }
    void absorb(const Count& other) { raw += other.raw; }
  };
  struct Weight {
    Key key{};
    double value = 0;      // discounted probability; after interpolation, the final probability
    double remainder = 0;  // interpolation weight of the lower order
    double backoff = -1;   // of this n-gram as a context; negative if it is none
    bool before(const Weight& other) const { return key < other.key; }
    bool same(const Weight&) const { return false; }
    void absorb(const Weight&) {}
  };

  struct Remainder {
    Key key{};
    double value = 0;
  };
  // Counts of counts: [i] is the number of n-grams with count i, for 1 .. 4.
  using CountCounts = std::array<double, 5>;

  std::size_t sort_memory() const;
  bool keeps(const Count& count, int n) const { return n < 3 || count.raw >= std::uint32_t(config_.min_count); }
  void adjust_counts();
  void emit_adjusted(int n, Count count, CountCounts& seen);
  void weigh(int n, Spool<Remainder>& own, Spool<Remainder>& contexts);
  void weigh_context(int n, std::vector<Count>& group, Spool<Remainder>& contexts, std::vector<Weight>& weights) const;
  void add_missing_words(std::vector<Count>& unigrams) const;
  void interpolate(int n);

  NgramConfig config_;
  std::uint32_t vocabulary_size_;
  ExternalSorter<Count> windows_;
  std::vector<ExternalSorter<Count>> counts_;    // sorted by context
  std::vector<ExternalSorter<Weight>> weights_;  // sorted by suffix
  std::vector<Spool<Weight>> results_;           // sorted by suffix
  std::vector<Discounts> discounts_;
};

}  // namespace dragoman::smt
