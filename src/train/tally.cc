#include "train/tally.h"

#include <cmath>

namespace dragoman::train {
namespace {

// The mean negative log-likelihood ("loss") and the perplexity.
void set_losses(Scores& scores, const LossSums& sums, const std::string& languages) {
  const auto name = [&](const std::string& metric) { return languages.empty() ? metric : score_of(metric, languages); };
  scores.set(name("loss"), sums.mean_nll());
  scores.set(name("perplexity"), std::exp(sums.mean_nll()));
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  sums += other.sums;
  for (const auto& [languages, own] : other.by_languages) by_languages[languages] += own;
  for (const auto& [pair, count] : other.confusion.pairs()) confusion.add(pair.first, pair.second, count);
  return *this;
}

Scores Tally::scores() const {
  Scores scores;
  set_losses(scores, sums, "");
  for (const auto& [languages, own] : by_languages) set_losses(scores, own, languages);
  if (confusion.lines() == 0) return scores;
  scores.set("accuracy", confusion.accuracy());
  scores.set("f1", confusion.f1());
  return scores;
}

void Tally::write(ByteSink& to) const {
  to.put(sums);
  to.put(std::uint64_t{by_languages.size()});
  for (const auto& [languages, own] : by_languages) {
    to.put_text(languages);
    to.put(own);
  }
  to.put(std::uint64_t{confusion.pairs().size()});
  for (const auto& [pair, count] : confusion.pairs()) {
    to.put(pair.first);
    to.put(pair.second);
    to.put(count);
  }
}

Tally Tally::read(ByteReader& from) {
  Tally tally{.sums = from.get<LossSums>()};
  for (auto left = from.get<std::uint64_t>(); left > 0; --left) {
    const std::string languages(from.get_text());
    tally.by_languages[languages] = from.get<LossSums>();
  }
  for (auto left = from.get<std::uint64_t>(); left > 0; --left) {
    const auto reference = from.get<std::int32_t>(), predicted = from.get<std::int32_t>();
    tally.confusion.add(reference, predicted, from.get<std::uint64_t>());
  }
  return tally;
}

}  // namespace dragoman::train
