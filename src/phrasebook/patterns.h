#pragma once

#include "phrasebook/draw.h"

// Sentence patterns. Each generates one complete sentence pair.
namespace dragoman::phrasebook {

struct Pattern {
  const char* name;
  int weight;  // relative frequency
  Sides (*make)(Draw& draw);
};

std::span<const Pattern> statement_patterns();
std::span<const Pattern> wish_patterns();
std::span<const Pattern> object_patterns();
std::span<const Pattern> description_patterns();
std::span<const Pattern> question_patterns();
std::span<const Pattern> number_patterns();
std::span<const Pattern> clause_patterns();

// All patterns.
const std::vector<Pattern>& patterns();

}  // namespace dragoman::phrasebook
