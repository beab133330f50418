#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::train {

// How far training has come, in every unit people count it in.
struct Position {
  std::uint64_t updates = 0;
  double epochs = 0;         // 2.5: halfway through the third pass over the data
  std::uint64_t tokens = 0;  // target tokens that have been learned from

  bool operator==(const Position&) const = default;
};

enum class Unit { updates, epochs, tokens };

// An amount of training as people write it: `100ku` updates, `5e` epochs, `1Gt` target tokens. A bare number counts
// updates; k, M and G multiply by thousands. Empty and 0 mean none.
struct Amount {
  double count = 0;
  Unit unit = Unit::updates;

  static Amount parse(const std::string& text);
  std::string show() const;

  bool none() const { return count <= 0; }
  // The position in this amount's unit.
  double measure(const Position& position) const;
  bool reached(const Position& position) const { return !none() && measure(position) >= count; }
  // Whether a multiple of this amount lies behind `before` and not behind `after`: "every 500 updates".
  bool crossed(const Position& before, const Position& after) const;
};

std::vector<Amount> parse_amounts(const std::vector<std::string>& texts);

}  // namespace dragoman::train
