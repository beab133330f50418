#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::eval {

// A number, or a list of numbers, that explains a score.
struct Detail {
  std::string name;
  std::vector<double> values;
  bool is_list = false;
};

// A metric maps a sentence to a few statistics that are additive over sentences, and a sum of them to a score. Corpora,
// slices and resampling work on these statistics and do not depend on the metric.
class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string key() const = 0;   // in JSON and on the command line: "chrfpp"
  virtual std::string name() const = 0;  // for display: "chrF2++"
  // The settings that make a score reproducible: "nrefs:1|case:mixed|...".
  virtual std::string signature(std::size_t references) const = 0;
  virtual bool higher_is_better() const { return true; }

  // Number of statistics per sentence.
  virtual std::size_t width() const = 0;
  // Fills `statistics` (width() numbers) for one sentence with at least one reference.
  virtual void count(std::string_view hypothesis, std::span<const std::string_view> references,
                     std::span<double> statistics) const = 0;
  // From 0 to 100 (a TER may exceed 100).
  virtual double score(std::span<const double> sums) const = 0;
  // The score of a single sentence; overridden by metrics that smooth it.
  virtual double sentence_score(std::span<const double> statistics) const { return score(statistics); }

  virtual std::vector<Detail> details(std::span<const double>) const { return {}; }
  // The details as text after the score: "64.1/40.0/... (BP = ...)". May be empty.
  virtual std::string remark(std::span<const double>) const { return {}; }
};

using Lines = std::vector<std::string>;

// The statistics of a test set, one row per sentence.
class Statistics {
 public:
  Statistics(std::size_t rows, std::size_t width) : width_(width), values_(rows * width) {}

  std::size_t rows() const { return width_ == 0 ? 0 : values_.size() / width_; }
  std::size_t width() const { return width_; }
  std::span<double> row(std::size_t i) { return {values_.data() + i * width_, width_}; }
  std::span<const double> row(std::size_t i) const { return {values_.data() + i * width_, width_}; }
  std::vector<double> sum() const;
  std::vector<double> sum(std::span<const std::size_t> chosen) const;

 private:
  std::size_t width_;
  std::vector<double> values_;
};

// Computes the statistics of every sentence, on all threads. `references` has one list of lines per reference file; all
// lists are as long as `hypotheses`.
Statistics count_all(const Metric& metric, const Lines& hypotheses, const std::vector<Lines>& references);

// "|version:dragoman-X.Y.Z", the last part of every signature.
std::string version_tag();

}  // namespace dragoman::eval
