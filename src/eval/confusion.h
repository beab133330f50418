#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace dragoman::eval {

// Counts of one class.
struct ClassCounts {
  std::uint64_t reference = 0, predicted = 0, both = 0;

  // In per cent; 0 where there is nothing to divide by. F1 = 2 both / (reference + predicted).
  double precision() const;
  double recall() const;
  double f1() const;
};

// How often each class was predicted for each reference class. Accuracy and F1 follow from it.
class Confusion {
 public:
  static constexpr std::int32_t kNone = -1;  // a line without a prediction, or without a known reference; no class

  void add(std::int32_t reference, std::int32_t predicted, std::uint64_t times = 1);

  std::uint64_t lines() const { return lines_; }
  std::uint64_t correct() const { return correct_; }
  // In per cent.
  double accuracy() const;
  // Macro-averaged F1 in per cent: the mean over the classes that occur as reference or prediction.
  double f1() const;

  // The pairs (reference, predicted) that occur, and the classes that occur, in increasing order.
  const std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t>& pairs() const { return pairs_; }
  const std::map<std::int32_t, ClassCounts>& classes() const { return classes_; }

 private:
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> pairs_;
  std::map<std::int32_t, ClassCounts> classes_;
  std::uint64_t lines_ = 0, correct_ = 0;
};

}  // namespace dragoman::eval
