#include "eval/confusion.h"

namespace dragoman::eval {
namespace {

double per_cent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double ClassCounts::precision() const { return per_cent(both, predicted); }
double ClassCounts::recall() const { return per_cent(both, reference); }
double ClassCounts::f1() const { return per_cent(2 * both, reference + predicted); }

void Confusion::add(std::int32_t reference, std::int32_t predicted, std::uint64_t times) {
  lines_ += times;
  pairs_[{reference, predicted}] += times;
  if (reference != kNone) classes_[reference].reference += times;
  if (predicted != kNone) classes_[predicted].predicted += times;
  if (reference != predicted || reference == kNone) return;
  classes_[reference].both += times;
  correct_ += times;
}

double Confusion::accuracy() const { return per_cent(correct_, lines_); }

double Confusion::f1() const {
  double total = 0;
  for (const auto& [index, counts] : classes_)
    total += 2 * static_cast<double>(counts.both) / static_cast<double>(counts.reference + counts.predicted);
  return classes_.empty() ? 0 : 100 * total / static_cast<double>(classes_.size());
}

}  // namespace dragoman::eval
