#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::smt {

// The features of the log-linear model. Logarithms are natural.
enum class Feature : std::size_t {
  phrase_inverse,     // log p(source phrase | target phrase)
  lexical_inverse,    // its lexical weight
  phrase_direct,      // log p(target phrase | source phrase)
  lexical_direct,     // its lexical weight
  phrases,            // number of phrases
  words,              // number of words of the translation
  distance,           // minus the total reordering distance in source words
  previous_monotone,  // log p(orientation to the previous phrase), by orientation
  previous_swap,
  previous_apart,
  next_monotone,  // log p(orientation to the next phrase)
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
// The weights of an untuned system; tuning starts from them.
Weights default_weights();

// One line per feature: name and weight.
std::string weights_to_text(const Weights& weights);
Weights weights_from_text(std::string_view text);

}  // namespace dragoman::smt
