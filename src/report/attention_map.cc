#include "report/attention_map.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "report/chart.h"

namespace dragoman::report {
namespace {

constexpr double kCell = 18, kLetter = 7.2;

// Characters, not bytes: what a label's width depends on.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

double widest(const std::vector<std::string>& words) {
  std::size_t most = 1;
  for (const std::string& word : words) most = std::max(most, characters(word));
  return kLetter * static_cast<double>(most) + 10;
}

}  // namespace

std::string draw(const AttentionMap& map) {
  check(map.weights.size() == map.source.size() * map.output.size(),
        "[attention map] {} weights do not fill {} output by {} source words", map.weights.size(), map.output.size(),
        map.source.size());
  const double left = widest(map.output), top = widest(map.source);
  const double width = left + kCell * static_cast<double>(map.source.size()) + 8;
  const double height = top + kCell * static_cast<double>(map.output.size()) + 8;
  std::string svg = fmt::format("<svg class='attention' width='{:.0f}' height='{:.0f}' viewBox='0 0 {:.0f} {:.0f}'>",
                                width, height, width, height);
  for (std::size_t j = 0; j < map.source.size(); ++j) {
    const double x = left + kCell * (static_cast<double>(j) + 0.7);
    svg += fmt::format("<text class='word' transform='translate({:.1f},{:.1f}) rotate(-90)'>{}</text>", x, top - 5,
                       escape(map.source[j]));
  }
  for (std::size_t i = 0; i < map.output.size(); ++i) {
    const double y = top + kCell * static_cast<double>(i);
    svg += fmt::format("<text class='word' x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>", left - 5, y + 13,
                       escape(map.output[i]));
    for (std::size_t j = 0; j < map.source.size(); ++j) {
      const double weight = std::clamp(map.weights[i * map.source.size() + j], 0.0, 1.0);
      svg += fmt::format(
          "<rect class='cell' x='{:.1f}' y='{:.1f}' width='{}' height='{}' fill-opacity='{:.3f}'><title>{} / {}: "
          "{:.3f}</title></rect>",
          left + kCell * static_cast<double>(j), y, kCell - 1, kCell - 1, weight, escape(map.output[i]),
          escape(map.source[j]), weight);
    }
  }
  return svg + "</svg>";
}

}  // namespace dragoman::report
