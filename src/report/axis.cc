#include "report/axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace dragoman::report {
namespace {

// Every n-th value, so that at most `count` are left.
std::vector<double> sparse(const std::vector<double>& all, int count) {
  const std::size_t step = (all.size() + static_cast<std::size_t>(count) - 1) / static_cast<std::size_t>(count);
  std::vector<double> few;
  for (std::size_t i = 0; i < all.size(); i += step) few.push_back(all[i]);
  return few;
}

std::vector<double> powers_of_two(double low, double high, int count) {
  std::vector<double> found;
  for (double power = std::exp2(std::ceil(std::log2(low) - 1e-9)); power <= high * (1 + 1e-9); power *= 2)
    found.push_back(power);
  return found.size() >= 2 ? sparse(found, count) : ticks(low, high, count);
}

// 1, 2 and 5 times powers of ten, or only the powers on axes of three decades and more.
std::vector<double> round_decimals(double low, double high, int count) {
  std::vector<double> found;
  const double decades = std::log10(high / low);
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (power * digit >= low && power * digit <= high && (digit == 1 || decades < 3)) found.push_back(power * digit);
  return found.size() >= 3 ? sparse(found, count + 3) : ticks(low, high, count);
}

}  // namespace

void Extent::add(double value) {
  low_ = empty() ? value : std::min(low_, value);
  high_ = std::max(high_, value);
}

void Extent::include_zero() {
  if (low_ > 0 && low_ <= 0.3 * high_) low_ = 0;
}

void Extent::widen(AxisKind kind) {
  if (kind != AxisKind::linear) {
    low_ /= 1.05;
    high_ *= 1.05;
    return;
  }
  const double room = high_ > low_ ? 0.04 * (high_ - low_) : high_ == 0 ? 1 : 0.5 * std::abs(high_);
  low_ = low_ >= 0 ? std::max(0.0, low_ - room) : low_ - room;
  high_ += room;
}

double Axis::operator()(double value) const {
  const double share = kind == AxisKind::linear ? (value - low) / (high - low)
                                                : (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return from + (to - from) * share;
}

std::vector<std::pair<double, std::string>> Axis::ticks(int count) const {
  std::vector<double> values;
  switch (kind) {
    case AxisKind::linear: values = report::ticks(low, high, count); break;
    case AxisKind::log2: values = powers_of_two(low, high, count); break;
    case AxisKind::log10: values = round_decimals(low, high, count); break;
  }
  std::vector<std::pair<double, std::string>> labelled;
  for (const double value : values)
    labelled.emplace_back(value, kind == AxisKind::log2 ? fmt::format("{:g}", value) : short_number(value));
  return labelled;
}

bool Axis::can_show(AxisKind kind, double value) {
  return std::isfinite(value) && (kind == AxisKind::linear || value > 0);
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size < 1e-3) return fmt::format("{:.2g}", value);
  if (size >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(count, 1);
  // A range within rounding error has no ticks.
  if (!(rough > 1e-12 * std::max(std::abs(low), std::abs(high))) || !std::isfinite(rough)) return {low};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= 0.7 * rough) {
      step = digit * power;
      break;
    }
  std::vector<double> found;
  for (double index = std::ceil(low / step - 1e-9); index * step <= high + 1e-9 * step; ++index)
    found.push_back(index * step);
  return found;
}

}  // namespace dragoman::report
