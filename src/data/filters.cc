#include "data/filters.h"

#include <algorithm>

#include "base/hash.h"
#include "data/utf8.h"
#include "data/words.h"

namespace dragoman::data {
namespace {

// A stateless filter.
template <class Question>
class Rule final : public Filter {
 public:
  Rule(const char* name, Question question) : name_(name), question_(std::move(question)) {}
  const char* name() const override { return name_; }
  bool keeps(const Pair& pair) override { return question_(pair); }

 private:
  const char* name_;
  Question question_;
};

template <class Question>
std::unique_ptr<Filter> rule(const char* name, Question question) {
  return std::make_unique<Rule<Question>>(name, std::move(question));
}

// A set of 64-bit hashes with linear probing, at most 3/4 full: about 16 bytes per pair, so that a hundred million
// pairs fit in memory although their text does not.
class HashSet {
 public:
  // True if `hash` is new.
  bool insert(std::uint64_t hash) {
    hash += hash == 0 ? 1 : 0;  // 0 marks a free slot
    if (4 * (size_ + 1) > 3 * slots_.size()) grow();
    std::uint64_t& slot = find(hash);
    if (slot == hash) return false;
    slot = hash;
    ++size_;
    return true;
  }

 private:
  std::uint64_t& find(std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at] != 0 && slots_[at] != hash) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<std::uint64_t> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    for (const std::uint64_t hash : old)
      if (hash != 0) find(hash) = hash;
  }

  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

class Duplicates final : public Filter {
 public:
  const char* name() const override { return "duplicate"; }
  bool keeps(const Pair& pair) override {
    Hasher hasher;
    hasher.add_text(pair.source);
    hasher.add_text(pair.target);
    return seen_.insert(hasher.value());
  }

 private:
  HashSet seen_;
};

bool ratio_is_fine(const Pair& pair, double limit) {
  const auto source = static_cast<double>(count_words(pair.source));
  const auto target = static_cast<double>(count_words(pair.target));
  return std::max(source, target) <= limit * std::min(source, target);
}

double word_characters(std::string_view text) {
  std::size_t words = 0, characters = 0;
  for_each_word(text, [&](std::string_view word) {
    ++words;
    characters += count_characters(word);
  });
  return words == 0 ? 0.0 : static_cast<double>(characters) / static_cast<double>(words);
}

}  // namespace

Filters::Filters(const FilterOptions& o) {
  // A rule for the texts of a pair.
  const auto text_rule = [this, labels = o.labels](const char* name, auto fits) {
    filters_.push_back(
        rule(name, [labels, fits](const Pair& p) { return fits(p.source) && (labels || fits(p.target)); }));
  };
  if (o.drop_empty)
    filters_.push_back(
        rule("empty", [](const Pair& p) { return count_words(p.source) > 0 && count_words(p.target) > 0; }));
  if (o.drop_identical) filters_.push_back(rule("identical", [](const Pair& p) { return p.source != p.target; }));
  if (o.min_words > 0)
    text_rule("too short", [least = static_cast<std::size_t>(o.min_words)](std::string_view text) {
      return count_words(text) >= least;
    });
  if (o.max_words > 0)
    text_rule("too long", [most = static_cast<std::size_t>(o.max_words)](std::string_view text) {
      return count_words(text) <= most;
    });
  if (o.max_ratio > 0)
    filters_.push_back(rule("length ratio", [limit = o.max_ratio](const Pair& p) { return ratio_is_fine(p, limit); }));
  if (o.min_word_characters > 0 || o.max_word_characters > 0) {
    const double most = o.max_word_characters > 0 ? o.max_word_characters : 1e18;
    text_rule("characters per word", [least = o.min_word_characters, most](std::string_view text) {
      const double characters = word_characters(text);
      return characters >= least && characters <= most;
    });
  }
  if (o.source_script != Script::any || o.target_script != Script::any)
    filters_.push_back(rule("wrong script", [o](const Pair& p) {
      const auto fits = [&](std::string_view text, Script script) {
        return script == Script::any || share_in_script(text, script) >= o.script_share;
      };
      return fits(p.source, o.source_script) && fits(p.target, o.target_script);
    }));
  if (o.drop_duplicates) filters_.push_back(std::make_unique<Duplicates>());
  dropped_.resize(filters_.size());
}

bool Filters::keeps(const Pair& pair) {
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (filters_[i]->keeps(pair)) continue;
    ++dropped_[i];
    return false;
  }
  ++kept_;
  return true;
}

Counts Filters::dropped() const {
  Counts list;
  for (std::size_t i = 0; i < filters_.size(); ++i) list.emplace_back(filters_[i]->name(), dropped_[i]);
  return list;
}

Counts count_pairs(const ReadingReport& reading, const Filters& filters) {
  Counts counts = {{"read", reading.pairs + reading.skipped_utf8 + reading.skipped_length}};
  for (const auto& [name, count] : {std::pair{"skipped: not UTF-8", reading.skipped_utf8},
                                    std::pair{"skipped: line too long", reading.skipped_length},
                                    std::pair{"repaired: not UTF-8", reading.replaced_utf8}})
    if (count > 0) counts.emplace_back(name, count);
  for (const auto& [name, count] : filters.dropped()) counts.emplace_back("dropped: " + name, count);
  counts.emplace_back("kept", filters.kept());
  return counts;
}

}  // namespace dragoman::data
