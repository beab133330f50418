#include "smt/phrase_decoder.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "smt/phrase_search.h"

namespace dragoman::smt {
namespace {

// Recomputes the features of a complete translation from its phrases.
Derivation derive(const PhraseModel& model, const std::vector<const PhraseOption*>& path) {
  Derivation derivation;
  Features& features = derivation.features;
  const PhraseOption* last = nullptr;
  NgramState state, next;
  if (model.language_model != nullptr) state = model.language_model->begin();
  double log10 = 0;
  int copied = 0;
  for (const PhraseOption* option : path) {
    const PhraseEntry& entry = option->entry;
    for (std::size_t i = 0; i < entry.translation.size(); ++i) features[i] += entry.translation[i];
    features[index(Feature::phrases)] += 1;
    features[index(Feature::words)] += static_cast<double>(entry.words.size());
    const std::uint32_t last_begin = last == nullptr ? 0 : last->begin, last_end = last == nullptr ? 0 : last->end;
    features[index(Feature::distance)] -= std::abs(double(option->begin) - double(last_end));
    const auto orientation = static_cast<std::size_t>(orientation_of(last_begin, last_end, *option));
    features[index(Feature::previous_monotone) + orientation] += entry.reordering[orientation];
    if (last != nullptr)
      features[index(Feature::next_monotone) + orientation] += last->entry.reordering[3 + orientation];
    if (model.language_model != nullptr)
      for (const std::uint32_t word : entry.words) {
        log10 += model.language_model->score(state, word, next);
        state = next;
      }
    copied += option->copied;
    derivation.steps.push_back({option->begin, option->end, entry.words, entry.alignment, option->copied});
    last = option;
  }
  if (model.language_model != nullptr) log10 += model.language_model->score(state, kSentenceEnd, next);
  features[index(Feature::language_model)] = log10 * std::numbers::ln10;
  derivation.score = dot(model.weights, features) + kCopyPenalty * copied;
  return derivation;
}

}  // namespace

std::vector<std::uint32_t> Derivation::words() const {
  std::vector<std::uint32_t> all;
  for (const PhraseStep& step : steps) all.insert(all.end(), step.words.begin(), step.words.end());
  return all;
}

std::vector<Derivation> decode_phrases(const PhraseModel& model, const PhraseDecoderConfig& config, Words source,
                                       int count) {
  if (source.empty()) return {derive(model, {})};
  PhraseModel limited = model;
  limited.options = config.options;
  limited.length = config.length;
  const SentenceOptions options(limited, source);
  PhraseSearch search(limited, config, options, count > 1);
  std::vector<Derivation> derivations;
  for (const auto& path : best_paths(search.run(), count)) derivations.push_back(derive(limited, path));
  return derivations;
}

}  // namespace dragoman::smt
