#include "smt/phrase_count.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/progress.h"

namespace dragoman::smt {
namespace {

using Counts = std::array<std::uint32_t, 3>;

// The counts of one phrase pair. `first` and `second` are the hashes of its phrases: target and source in the first
// pass, source and target in the second.
struct PairCount {
  std::uint64_t first = 0, second = 0;
  std::uint32_t target_at = 0;  // index of the target phrase in the corpus
  std::uint32_t alignment = 0;
  float lexical_direct = 0, lexical_inverse = 0;
  Counts previous{}, next{};
  float inverse = 0;  // log p(source | target)
  std::uint8_t source_length = 0, target_length = 0;

  bool before(const PairCount& other) const { return std::tie(first, second) < std::tie(other.first, other.second); }
  bool same(const PairCount& other) const { return first == other.first && second == other.second; }
  // Of several internal alignments, keeps the one with the largest lexical weights.
  void absorb(const PairCount& other) {
    for (std::size_t o = 0; o < 3; ++o) {
      previous[o] += other.previous[o];
      next[o] += other.next[o];
    }
    target_at = std::min(target_at, other.target_at);
    const auto rank = [](const PairCount& p) {
      return std::make_tuple(p.lexical_direct + p.lexical_inverse, p.lexical_direct, p.alignment);
    };
    if (rank(*this) >= rank(other)) return;
    alignment = other.alignment;
    lexical_direct = other.lexical_direct;
    lexical_inverse = other.lexical_inverse;
  }
  std::uint32_t count() const { return previous[0] + previous[1] + previous[2]; }
};

float log_of(double value) { return static_cast<float>(std::log(std::max(value, 1e-30))); }

class PhraseCounter {
 public:
  PhraseCounter(const PhraseCorpus& corpus, const LinkLexicon& lexicon, const PhraseTableConfig& config)
      : corpus_(corpus),
        lexicon_(lexicon),
        config_(config),
        by_target_((std::size_t(config.memory) << 20) / 2, config.folder),
        by_source_((std::size_t(config.memory) << 20) / 2, config.folder) {}

  PhraseTable run() {
    Progress progress("phrases", static_cast<std::int64_t>(corpus_.links.size()), "sentences");
    for (std::size_t s = 0; s < corpus_.links.size(); ++s) {
      const auto source_words = static_cast<std::uint32_t>(corpus_.source[s].size());
      const auto target_words = static_cast<std::uint32_t>(corpus_.target[s].size());
      extract_phrases(source_words, target_words, corpus_.links[s], config_.length,
                      [&](const PhrasePair& pair) { by_target_.add(count_pair(s, pair)); });
      progress.advance();
    }
    by_target_.finish();
    progress.finish();
    group<&PhraseCounter::weigh_target>(by_target_);
    by_source_.finish();
    group<&PhraseCounter::weigh_source>(by_source_);
    return std::move(table_);
  }

 private:
  PairCount count_pair(std::size_t sentence, const PhrasePair& pair) {
    const Words source = corpus_.source[sentence].subspan(pair.source_begin, pair.source_end - pair.source_begin);
    const Words target = corpus_.target[sentence].subspan(pair.target_begin, pair.target_end - pair.target_begin);
    PairCount record;
    inside_.clear();
    for (const align::Link& link : corpus_.links[sentence]) {
      const auto i = static_cast<std::uint32_t>(link.source), j = static_cast<std::uint32_t>(link.target);
      if (i < pair.source_begin || i >= pair.source_end || j < pair.target_begin || j >= pair.target_end) continue;
      inside_.push_back({int(i - pair.source_begin), int(j - pair.target_begin)});
      const std::uint32_t shift = 4 * (j - pair.target_begin);
      if ((record.alignment >> shift & 15) == 0) record.alignment |= (i - pair.source_begin + 1) << shift;
    }
    const LexicalWeights weights = lexical_weights(lexicon_, source, target, inside_);
    record.lexical_direct = log_of(weights.direct);
    record.lexical_inverse = log_of(weights.inverse);
    record.first = phrase_hash(target);
    record.second = phrase_hash(source);
    record.target_at = corpus_.target.offset(sentence) + pair.target_begin;
    record.source_length = static_cast<std::uint8_t>(source.size());
    record.target_length = static_cast<std::uint8_t>(target.size());
    ++record.previous[static_cast<std::size_t>(pair.previous)];
    ++record.next[static_cast<std::size_t>(pair.next)];
    ++all_previous_[static_cast<std::size_t>(pair.previous)];
    ++all_next_[static_cast<std::size_t>(pair.next)];
    return record;
  }

  // Calls Body with all records that have the same `first`.
  template <void (PhraseCounter::*Body)(std::vector<PairCount>&)>
  void group(ExternalSorter<PairCount>& records) {
    std::vector<PairCount> same;
    for (PairCount record; records.next(record);) {
      if (!same.empty() && same[0].first != record.first) {
        (this->*Body)(same);
        same.clear();
      }
      same.push_back(record);
    }
    if (!same.empty()) (this->*Body)(same);
    records = ExternalSorter<PairCount>(0);
  }

  static double total_of(const std::vector<PairCount>& same) {
    double total = 0;
    for (const PairCount& record : same) total += record.count();
    return total;
  }

  void weigh_target(std::vector<PairCount>& same) {
    const double total = total_of(same);
    for (PairCount& record : same) {
      record.inverse = log_of(record.count() / total);
      std::swap(record.first, record.second);
      by_source_.add(record);
    }
  }

  void weigh_source(std::vector<PairCount>& same) {
    const double total = total_of(same);
    const auto kept = [&](const PairCount& record) {
      return record.source_length == 1 || record.count() >= std::uint32_t(config_.min_count);
    };
    same.erase(std::partition(same.begin(), same.end(), kept), same.end());
    if (same.empty()) return;
    const auto better = [](const PairCount& a, const PairCount& b) {
      return std::make_tuple(a.count(), a.inverse + a.lexical_direct + a.lexical_inverse, b.second) >
             std::make_tuple(b.count(), b.inverse + b.lexical_direct + b.lexical_inverse, a.second);
    };
    std::sort(same.begin(), same.end(), better);
    same.resize(std::min(same.size(), static_cast<std::size_t>(config_.options)));
    std::vector<PhraseEntry> entries;
    for (const PairCount& record : same) entries.push_back(entry_of(record, total));
    table_.add(same[0].first, entries);
  }

  PhraseEntry entry_of(const PairCount& record, double total) const {
    PhraseEntry entry;
    const auto begin = corpus_.target.words().begin() + record.target_at;
    entry.words.assign(begin, begin + record.target_length);
    entry.translation = {record.inverse, record.lexical_inverse, log_of(record.count() / total), record.lexical_direct};
    entry.alignment = record.alignment;
    for (std::size_t o = 0; o < 3; ++o) {
      entry.reordering[o] = orientation(record.previous, all_previous_, o);
      entry.reordering[3 + o] = orientation(record.next, all_next_, o);
    }
    return entry;
  }

  // Relative frequency, smoothed with the distribution over all phrases.
  template <class All>
  static float orientation(const Counts& seen, const All& all, std::size_t which) {
    constexpr double kStrength = 0.5;
    const double total = double(seen[0]) + seen[1] + seen[2];
    const double prior = (double(all[which]) + 1) / (double(all[0]) + double(all[1]) + double(all[2]) + 3);
    return log_of((seen[which] + kStrength * prior) / (total + kStrength));
  }

  const PhraseCorpus& corpus_;
  const LinkLexicon& lexicon_;
  PhraseTableConfig config_;
  ExternalSorter<PairCount> by_target_, by_source_;
  std::array<std::uint64_t, 3> all_previous_{}, all_next_{};
  align::Links inside_;
  PhraseTable table_;
};

}  // namespace

PhraseTable count_phrases(const PhraseCorpus& corpus, const LinkLexicon& lexicon, const PhraseTableConfig& config) {
  return PhraseCounter(corpus, lexicon, config).run();
}

}  // namespace dragoman::smt
