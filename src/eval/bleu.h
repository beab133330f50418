#pragma once

#include "base/options.h"
#include "eval/bleu_tokenizers.h"
#include "eval/metric.h"

// BLEU (Papineni, Roukos, Ward, Zhu: "BLEU: a Method for Automatic Evaluation of Machine Translation", ACL 2002) in the
// three variants that published numbers use. They share their statistics and differ in tokenisation, smoothing and
// details.
namespace dragoman::eval {

enum class BleuSmoothing { exponential, floor, add_k, none };

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::t13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  double smooth_value = -1;
  int order = 4;
  bool effective_order = false;

  template <class V>
  void visit(V& v) {
    v("tokenize", tokenizer, "tokenisation of BLEU");
    v("lowercase", lowercase, "compute BLEU case-insensitively");
    v("smooth", smoothing, "smoothing of BLEU for n-gram orders without a match");
    v("smooth-value", smooth_value, "smoothing value of floor and add-k; below 0 means the defaults, 0.1 and 1");
    v("order", order, "maximum n-gram order of BLEU", between(1, 16));
    v("effective-order", effective_order,
      "exclude n-gram orders longer than the text (always done for single sentences)");
  }

  double value() const;  // the smoothing value in use
};

struct BleuScore {
  double score = 0;                // 0 .. 100
  std::vector<double> precisions;  // 0 .. 100, one per order
  double brevity_penalty = 1;
  double hypothesis_length = 0, reference_length = 0;
  std::vector<double> matches, totals;

  double ratio() const { return reference_length > 0 ? hypothesis_length / reference_length : 0; }
};

// The part that the three variants share. Statistics: hypothesis length, length of the closest reference, matches of
// each order, n-grams of each order.
class BleuBase : public Metric {
 public:
  std::size_t width() const override { return 2 + 2 * order_; }
  void count(std::string_view hypothesis, std::span<const std::string_view> references,
             std::span<double> statistics) const override;
  double score(std::span<const double> sums) const override { return compute(sums).score; }
  std::vector<Detail> details(std::span<const double> sums) const override;
  std::string remark(std::span<const double> sums) const override;
  virtual BleuScore compute(std::span<const double> sums) const = 0;

 protected:
  explicit BleuBase(std::size_t order) : order_(order) {}
  // Tokenises the line into words separated by white space.
  virtual std::string prepare(std::string_view line) const = 0;
  virtual std::vector<std::string_view> words(std::string_view prepared) const;
  BleuScore unscored(std::span<const double> sums) const;

  std::size_t order_;
};

// BLEU as in sacreBLEU (Post 2018).
class Bleu : public BleuBase {
 public:
  explicit Bleu(const BleuOptions& options = {});
  std::string key() const override { return "bleu"; }
  std::string name() const override { return "BLEU"; }
  std::string signature(std::size_t references) const override;
  BleuScore compute(std::span<const double> sums) const override { return compute(sums, options_.effective_order); }
  double sentence_score(std::span<const double> statistics) const override { return compute(statistics, true).score; }

 protected:
  std::string prepare(std::string_view line) const override;

 private:
  BleuScore compute(std::span<const double> sums, bool effective_order) const;

  BleuOptions options_;
};

// BLEU as in NLTK's corpus_bleu with default settings, on text split at white space. A sentence of fewer than n words
// still counts as one n-gram, and an order without matches gets the smallest normal number as its precision.
class NltkBleu : public BleuBase {
 public:
  NltkBleu() : BleuBase(4) {}
  std::string key() const override { return "nltk_bleu"; }
  std::string name() const override { return "BLEU(NLTK)"; }
  std::string signature(std::size_t references) const override;
  void count(std::string_view hypothesis, std::span<const std::string_view> references,
             std::span<double> statistics) const override;
  BleuScore compute(std::span<const double> sums) const override;

 protected:
  std::string prepare(std::string_view line) const override { return std::string(line); }
};

struct MultiBleuOptions {
  bool lowercase = false;

  template <class V>
  void visit(V& v) {
    v("lowercase", lowercase, "compute multi-bleu case-insensitively (its -lc: lower-cases only ASCII letters)");
  }
};

// BLEU as in Moses' multi-bleu.perl: text split at ASCII white space, no smoothing.
class MultiBleu : public BleuBase {
 public:
  explicit MultiBleu(const MultiBleuOptions& options = {}) : BleuBase(4), options_(options) {}
  std::string key() const override { return "multi_bleu"; }
  std::string name() const override { return "BLEU(multi-bleu)"; }
  std::string signature(std::size_t references) const override;
  BleuScore compute(std::span<const double> sums) const override;

 protected:
  std::string prepare(std::string_view line) const override;
  std::vector<std::string_view> words(std::string_view prepared) const override;

 private:
  MultiBleuOptions options_;
};

}  // namespace dragoman::eval

namespace dragoman {
template <>
struct EnumNames<eval::BleuSmoothing> {
  static constexpr std::pair<eval::BleuSmoothing, const char*> list[] = {
      {eval::BleuSmoothing::exponential, "exp"},
      {eval::BleuSmoothing::floor, "floor"},
      {eval::BleuSmoothing::add_k, "add-k"},
      {eval::BleuSmoothing::none, "none"},
  };
};
}  // namespace dragoman
