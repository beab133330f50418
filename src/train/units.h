#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::train {

// The progress of training in all units.
struct Position {
  std::uint64_t updates = 0;
  double epochs = 0;         // 2.5: halfway through the third pass over the data
  std::uint64_t tokens = 0;  // target tokens seen so far

  bool operator==(const Position&) const = default;
};

enum class Unit { updates, epochs, tokens };

// An amount of training, written as `100ku` updates, `5e` epochs or `1Gt` target tokens. A number without a unit counts
// updates; k, M and G are powers of a thousand. Empty and 0 mean none.
struct Amount {
  // Positions are doubles in part: above 2^53 adjacent ones would be equal.
  static constexpr double kMost = 1e15;

  double count = 0;
  Unit unit = Unit::updates;

  static Amount parse(const std::string& text);
  std::string show() const;

  bool none() const { return count <= 0; }
  // The position in this amount's unit.
  double measure(const Position& position) const;
  bool reached(const Position& position) const { return !none() && measure(position) >= count; }
  // Whether training passed a multiple of this amount between the two positions: "every 500 updates".
  bool crossed(const Position& before, const Position& after) const;
};

std::vector<Amount> parse_amounts(const std::vector<std::string>& texts);

// The fraction done of a run that ends at the first of these amounts: 1 at its end, 0 for a run without an end.
double share_done(const std::vector<Amount>& until, const Position& position);

}  // namespace dragoman::train
