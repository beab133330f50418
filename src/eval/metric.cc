#include "eval/metric.h"

#include <algorithm>

#include "base/error.h"
#include "base/threads.h"
#include "base/version.h"

namespace dragoman::eval {

std::vector<double> Statistics::sum() const {
  std::vector<double> total(width_);
  for (std::size_t i = 0; i < rows(); ++i)
    for (std::size_t k = 0; k < width_; ++k) total[k] += values_[i * width_ + k];
  return total;
}

std::vector<double> Statistics::sum(std::span<const std::size_t> chosen) const {
  std::vector<double> total(width_);
  for (const std::size_t i : chosen)
    for (std::size_t k = 0; k < width_; ++k) total[k] += values_[i * width_ + k];
  return total;
}

Statistics count_all(const Metric& metric, const Lines& hypotheses, const std::vector<Lines>& references) {
  check(!references.empty(), "{}: expected at least one reference", metric.name());
  for (const Lines& lines : references)
    check(lines.size() == hypotheses.size(), "{}: {} hypotheses but {} references", metric.name(), hypotheses.size(),
          lines.size());
  constexpr std::size_t kPiece = 16;  // sentences per task
  Statistics statistics(hypotheses.size(), metric.width());
  threads::each(static_cast<std::int64_t>((hypotheses.size() + kPiece - 1) / kPiece), [&](std::int64_t piece) {
    std::vector<std::string_view> sentence_references(references.size());
    const std::size_t begin = static_cast<std::size_t>(piece) * kPiece;
    for (std::size_t i = begin; i < std::min(begin + kPiece, hypotheses.size()); ++i) {
      for (std::size_t r = 0; r < references.size(); ++r) sentence_references[r] = references[r][i];
      metric.count(hypotheses[i], sentence_references, statistics.row(i));
    }
  });
  return statistics;
}

std::string version_tag() { return "|version:dragoman-" DRAGOMAN_VERSION; }

}  // namespace dragoman::eval
