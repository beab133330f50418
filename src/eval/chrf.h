#pragma once

#include "base/options.h"
#include "eval/metric.h"
#include "eval/ngrams.h"

namespace dragoman::eval {

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;
  int beta = 2;
  bool lowercase = false;
  bool whitespace = false;
  bool eps_smoothing = false;

  template <class V>
  void visit(V& v) {
    v("char-order", char_order, "maximum character n-gram order of chrF and chrF++", at_least(1));
    v("word-order", word_order, "maximum word n-gram order of chrF (chrF++ always uses 2)", at_least(0));
    v("beta", beta, "weight of recall relative to precision in chrF (the beta of its F-score)", at_least(1));
    v("lowercase", lowercase, "compute chrF case-insensitively");
    v("whitespace", whitespace, "include white space in the character n-grams of chrF");
    v("eps-smoothing", eps_smoothing,
      "average the F-scores of all orders as chrF++.py does, not only of the orders that occur");
  }
};

// chrF (Popović, WMT 2015) and chrF++ (Popović, WMT 2017) as in sacreBLEU: the F-score of character and word n-grams,
// using the reference with the best F-score. Statistics, for each order: n-grams of the hypothesis, of the reference,
// and in common.
class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfOptions& options = {}) : options_(options) {}
  std::string key() const override { return options_.word_order == 2 ? "chrfpp" : "chrf"; }
  std::string name() const override;
  std::string signature(std::size_t references) const override;
  std::size_t width() const override { return 3 * orders(); }
  void count(std::string_view hypothesis, std::span<const std::string_view> references,
             std::span<double> statistics) const override;
  double score(std::span<const double> sums) const override;

 private:
  std::size_t orders() const {
    return static_cast<std::size_t>(options_.char_order) + static_cast<std::size_t>(options_.word_order);
  }
  NgramMatcher::Units characters(std::string_view line) const;

  ChrfOptions options_;
};

}  // namespace dragoman::eval
