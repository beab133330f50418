#pragma once

#include <string>
#include <vector>

namespace dragoman::report {

enum class AxisKind { linear, log2, log10 };

// The values that an axis has to show.
class Extent {
 public:
  void add(double value);
  bool empty() const { return low_ > high_; }
  double low() const { return low_; }
  double high() const { return high_; }
  // Extends a linear extent to zero if that costs little room, so that lengths can be compared.
  void include_zero();
  // Adds a margin at both ends, so that the extent is never empty.
  void widen(AxisKind kind);

 private:
  double low_ = 1, high_ = 0;
};

// An axis: maps values to pixels and chooses the ticks.
struct Axis {
  AxisKind kind = AxisKind::linear;
  double low = 0, high = 1;  // values
  double from = 0, to = 1;   // their pixels

  double operator()(double value) const;
  // About `count` round values with their labels: powers of two on a log2 axis; 1, 2 and 5 times powers of ten on a
  // log10 axis.
  std::vector<std::pair<double, std::string>> ticks(int count) const;
  // Whether the axis can show the value: finite, and above zero on a logarithmic axis.
  static bool can_show(AxisKind kind, double value);
};

// Round numbers that divide [low, high] into about `count` parts.
std::vector<double> ticks(double low, double high, int count);

// 0.00031 as "0.00031", 12345 as "12.35k", 3.14159 as "3.142".
std::string short_number(double value);

}  // namespace dragoman::report
