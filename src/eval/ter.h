#pragma once

#include "eval/metric.h"

namespace dragoman::eval {

struct TerOptions {
  bool normalize = false;
  bool no_punctuation = false;
  bool asian = false;
  bool case_sensitive = false;

  template <class V>
  void visit(V& v) {
    v("normalize", normalize, "normalise for TER: decode entities and separate punctuation");
    v("no-punctuation", no_punctuation, "ignore punctuation in TER");
    v("asian", asian,
      "with `normalize` and `no-punctuation`: split Chinese characters and handle CJK and full-width punctuation");
    v("case-sensitive", case_sensitive, "compute TER case-sensitively");
  }
};

// Translation edit rate (Snover et al., AMTA 2006) as in sacreBLEU and Tercom: insertions, deletions, substitutions and
// shifts of word blocks, divided by the reference length. Statistics: edits against the reference that needs fewest,
// average length of the references.
class Ter : public Metric {
 public:
  explicit Ter(const TerOptions& options = {}) : options_(options) {}
  std::string key() const override { return "ter"; }
  std::string name() const override { return "TER"; }
  std::string signature(std::size_t references) const override;
  bool higher_is_better() const override { return false; }
  std::size_t width() const override { return 2; }
  void count(std::string_view hypothesis, std::span<const std::string_view> references,
             std::span<double> statistics) const override;
  double score(std::span<const double> sums) const override;
  std::vector<Detail> details(std::span<const double> sums) const override;

 private:
  TerOptions options_;
};

// Tercom's normalisation: words separated by white space.
std::string tokenize_ter(const TerOptions& options, std::string_view line);

}  // namespace dragoman::eval
