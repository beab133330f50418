#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::smt {

// What a translation is judged by, each with a weight. Logarithms are natural ones.
enum class Feature : std::size_t {
  phrase_inverse,     // log p(source phrase | target phrase)
  lexical_inverse,    // its lexical weight
  phrase_direct,      // log p(target phrase | source phrase)
  lexical_direct,     // its lexical weight
  phrases,            // how many phrases
  words,              // how many words of the translation
  distance,           // minus the source words jumped over
  previous_monotone,  // log p(orientation of the phrase before), split by orientation
  previous_swap,
  previous_apart,
  next_monotone,  // log p(orientation of the phrase after)
  next_swap,
  next_apart,
  language_model,  // log p(translation)
};
constexpr std::size_t kFeatures = 14;

using Features = std::array<double, kFeatures>;
using Weights = std::array<double, kFeatures>;

constexpr std::size_t index(Feature feature) { return static_cast<std::size_t>(feature); }

std::string_view feature_name(Feature feature);
double dot(const Weights& weights, const Features& features);
// Where tuning starts, and what an untuned system uses.
Weights default_weights();

// One line a feature: its name and its weight.
std::string weights_to_text(const Weights& weights);
Weights weights_from_text(std::string_view text);

}  // namespace dragoman::smt
