#include "smt/link_lexicon.h"

#include <algorithm>

namespace dragoman::smt {
namespace {

std::uint64_t key_of(std::uint32_t source, std::uint32_t target) { return std::uint64_t{source} << 32 | target; }

}  // namespace

LinkLexicon::LinkLexicon(const PhraseCorpus& corpus, std::uint32_t source_vocabulary, std::uint32_t target_vocabulary)
    : source_totals_(source_vocabulary + 1), target_totals_(target_vocabulary + 1) {
  std::vector<bool> source_linked, target_linked;
  for (std::size_t s = 0; s < corpus.links.size(); ++s) {
    const Words source = corpus.source[s], target = corpus.target[s];
    source_linked.assign(source.size(), false);
    target_linked.assign(target.size(), false);
    for (const align::Link& link : corpus.links[s]) {
      const auto i = static_cast<std::size_t>(link.source), j = static_cast<std::size_t>(link.target);
      add(source[i], target[j]);
      source_linked[i] = target_linked[j] = true;
    }
    for (std::size_t i = 0; i < source.size(); ++i)
      if (!source_linked[i]) add(source[i], kNoWord);
    for (std::size_t j = 0; j < target.size(); ++j)
      if (!target_linked[j]) add(kNoWord, target[j]);
  }
}

void LinkLexicon::add(std::uint32_t source, std::uint32_t target) {
  ++counts_[key_of(source, target)];
  ++(source == kNoWord ? source_totals_.back() : source_totals_[source]);
  ++(target == kNoWord ? target_totals_.back() : target_totals_[target]);
}

double LinkLexicon::direct(std::uint32_t source, std::uint32_t target) const {
  const auto found = counts_.find(key_of(source, target));
  const std::uint32_t total = source == kNoWord ? source_totals_.back() : source_totals_[source];
  return found == counts_.end() ? 0 : static_cast<double>(found->second) / total;
}

double LinkLexicon::inverse(std::uint32_t source, std::uint32_t target) const {
  const auto found = counts_.find(key_of(source, target));
  const std::uint32_t total = target == kNoWord ? target_totals_.back() : target_totals_[target];
  return found == counts_.end() ? 0 : static_cast<double>(found->second) / total;
}

LexicalWeights lexical_weights(const LinkLexicon& lexicon, Words source, Words target, const align::Links& inside) {
  std::vector<double> source_sum(source.size()), target_sum(target.size());
  std::vector<int> source_links(source.size()), target_links(target.size());
  for (const align::Link& link : inside) {
    const auto i = static_cast<std::size_t>(link.source), j = static_cast<std::size_t>(link.target);
    target_sum[j] += lexicon.direct(source[i], target[j]);
    source_sum[i] += lexicon.inverse(source[i], target[j]);
    ++source_links[i];
    ++target_links[j];
  }
  LexicalWeights weights;
  for (std::size_t j = 0; j < target.size(); ++j)
    weights.direct *=
        target_links[j] > 0 ? target_sum[j] / target_links[j] : lexicon.direct(LinkLexicon::kNoWord, target[j]);
  for (std::size_t i = 0; i < source.size(); ++i)
    weights.inverse *=
        source_links[i] > 0 ? source_sum[i] / source_links[i] : lexicon.inverse(source[i], LinkLexicon::kNoWord);
  return weights;
}

}  // namespace dragoman::smt
