#include "smt/phrase_features.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "base/options.h"
#include "base/quote.h"
#include "data/words.h"

namespace dragoman::smt {
namespace {

constexpr std::string_view kNames[kFeatures] = {
    "phrase-inverse", "lexical-inverse", "phrase-direct",     "lexical-direct", "phrases",
    "words",          "distance",        "previous-monotone", "previous-swap",  "previous-apart",
    "next-monotone",  "next-swap",       "next-apart",        "language-model",
};

// Tuning makes the absolute values of all weights sum to one. Larger ones, up to this, keep scores finite.
constexpr double kMostWeight = 1e6;

}  // namespace

std::string_view feature_name(Feature feature) { return kNames[index(feature)]; }

double dot(const Weights& weights, const Features& features) {
  double sum = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) sum += weights[i] * features[i];
  return sum;
}

Weights default_weights() {
  Weights weights{};
  for (const Feature feature :
       {Feature::phrase_inverse, Feature::lexical_inverse, Feature::phrase_direct, Feature::lexical_direct})
    weights[index(feature)] = 0.06;
  weights[index(Feature::phrases)] = 0.05;
  weights[index(Feature::words)] = 0.25;
  for (std::size_t i = index(Feature::distance); i <= index(Feature::next_apart); ++i) weights[i] = 0.05;
  weights[index(Feature::language_model)] = 0.2;
  return weights;
}

std::string weights_to_text(const Weights& weights) {
  std::string text;
  for (std::size_t i = 0; i < kFeatures; ++i) text += fmt::format("{} {:.17g}\n", kNames[i], weights[i]);
  return text;
}

Weights weights_from_text(std::string_view text) {
  std::vector<std::string> fields;
  data::for_each_word(text, [&](std::string_view field) { fields.emplace_back(field); });
  check(fields.size() == 2 * kFeatures, "weights: expected {} names and numbers but got {} fields", kFeatures,
        fields.size());
  Weights weights;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    check(fields[2 * i] == kNames[i], "weights: expected {} but got {}", kNames[i], excerpt(fields[2 * i]));
    weights[i] = text_value::parse_number(fields[2 * i + 1]);
    check(std::abs(weights[i]) <= kMostWeight, "weights: expected numbers from {} to {} but {} has {}", -kMostWeight,
          kMostWeight, kNames[i], weights[i]);
  }
  return weights;
}

}  // namespace dragoman::smt
