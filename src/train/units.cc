#include "train/units.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/error.h"
#include "base/quote.h"

namespace dragoman::train {

Amount Amount::parse(const std::string& text) {
  Amount amount;
  if (text.empty()) return amount;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  const auto [number_end, status] = std::from_chars(at, end, amount.count);
  at = number_end;
  bool fits = status == std::errc() && std::isfinite(amount.count) && amount.count >= 0;
  if (at != end) {
    const std::string_view thousands = "kMG";
    const std::size_t power = thousands.find(*at);
    if (power != std::string_view::npos) {
      amount.count *= std::pow(1000.0, static_cast<double>(power + 1));
      ++at;
    }
  }
  if (at != end) {
    switch (*at++) {
      case 'u': amount.unit = Unit::updates; break;
      case 'e': amount.unit = Unit::epochs; break;
      case 't': amount.unit = Unit::tokens; break;
      default: fits = false;
    }
  }
  check(fits && at == end,
        "expected an amount of training such as 100ku (updates), 5e (epochs) or 1Gt (tokens) but got '{}'",
        excerpt(text));
  check(amount.count <= kMost, "expected an amount of training up to {:g}, but '{}' is more", kMost, excerpt(text));
  return amount;
}

std::string Amount::show() const {
  double value = count;
  std::string power;
  for (const char* letter : {"k", "M", "G"}) {
    if (value < 1000) break;
    value /= 1000;
    power = letter;
  }
  return fmt::format("{}{}{}", value, power, unit == Unit::updates ? "u" : unit == Unit::epochs ? "e" : "t");
}

double Amount::measure(const Position& position) const {
  switch (unit) {
    case Unit::updates: return static_cast<double>(position.updates);
    case Unit::epochs: return position.epochs;
    case Unit::tokens: return static_cast<double>(position.tokens);
  }
  return 0;
}

bool Amount::crossed(const Position& before, const Position& after) const {
  return !none() && std::floor(measure(after) / count) > std::floor(measure(before) / count);
}

std::vector<Amount> parse_amounts(const std::vector<std::string>& texts) {
  std::vector<Amount> amounts;
  for (const std::string& text : texts) amounts.push_back(Amount::parse(text));
  return amounts;
}

double share_done(const std::vector<Amount>& until, const Position& position) {
  double share = 0;
  for (const Amount& end : until)
    if (!end.none()) share = std::max(share, end.measure(position) / end.count);
  return share;
}

}  // namespace dragoman::train
