#include "phrasebook/phrasebook.h"

#include <algorithm>

#include "base/error.h"
#include "base/options.h"
#include "base/random.h"
#include "base/threads.h"
#include "phrasebook/patterns.h"

namespace dragoman::phrasebook {

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = [] {
    std::vector<Pattern> list;
    for (const auto part : {statement_patterns(), wish_patterns(), object_patterns(), description_patterns(),
                            question_patterns(), number_patterns(), clause_patterns()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

namespace {

// FNV-1a, then mixed so that every bit depends on every character.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return mix(hash);
}

std::uint64_t hash_of(const BilingualPhrase& pair) {
  return std::max<std::uint64_t>(1, mix(hash_of(pair.english), hash_of(pair.german)));
}

// After this many draws without a new pair, the patterns are considered exhausted.
constexpr std::uint64_t patience = 5000;
// A split contains at least 1 in 256 pairs; after this many rejections, it is considered empty for these patterns.
constexpr int most_rejections = 200000;

}  // namespace

Phrasebook::Phrasebook(std::uint64_t seed, const std::vector<std::string>& patterns) : seed_(seed) {
  const std::vector<std::string> known = pattern_names();
  for (const std::string& name : patterns) {
    const std::string near = nearest(name, known);
    check(std::find(known.begin(), known.end(), name) != known.end(), "unknown phrasebook pattern '{}'{}", name,
          near.empty() ? "" : "; did you mean '" + near + "'?");
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool wanted = patterns.empty() || std::find(patterns.begin(), patterns.end(), known[i]) != patterns.end();
    if (wanted)
      chosen_.insert(chosen_.end(), static_cast<std::size_t>(phrasebook::patterns()[i].weight), static_cast<int>(i));
  }
}

Split Phrasebook::split_of(std::string_view sentence) {
  const std::uint64_t slice = hash_of(sentence) % 16;
  return slice == 0 ? Split::valid : slice == 1 ? Split::test : Split::train;
}

BilingualPhrase Phrasebook::pair(Split split, std::uint64_t index) const {
  Random random(seed_, mix(index, static_cast<std::uint64_t>(split)));
  for (int tries = 0; tries < most_rejections; ++tries) {
    Draw draw(random);
    const Pattern& pattern = patterns()[static_cast<std::size_t>(chosen_[random.below(chosen_.size())])];
    Sides sides = pattern.make(draw);
    if (split_of(sides.english) == split && split_of(sides.german) == split)
      return {std::move(sides.english), std::move(sides.german)};
  }
  fail("these patterns generate no sentence pairs for this split; request none, or use more patterns");
}

std::vector<std::string> Phrasebook::pattern_names() {
  std::vector<std::string> names;
  for (const Pattern& pattern : patterns()) names.push_back(pattern.name);
  return names;
}

int Phrasebook::lemma_count() { return phrasebook::lemma_count(); }

DistinctPairs::DistinctPairs(const Phrasebook& book, Split split) : book_(book), split_(split), table_(1024, 0) {}

bool DistinctPairs::is_new(const BilingualPhrase& pair) {
  const auto insert = [this](std::uint64_t hash) {
    std::size_t slot = hash & (table_.size() - 1);
    while (table_[slot] != 0 && table_[slot] != hash) slot = (slot + 1) & (table_.size() - 1);
    return std::exchange(table_[slot], hash) == 0;
  };
  if (2 * count_ >= table_.size()) {
    std::vector<std::uint64_t> old(table_.size() * 2, 0);
    old.swap(table_);
    for (const std::uint64_t hash : old)
      if (hash != 0) insert(hash);
  }
  if (!insert(hash_of(pair))) return false;
  ++count_;
  return true;
}

const BilingualPhrase& DistinctPairs::draw() {
  constexpr std::uint64_t block = 512, grain = 16;
  const std::uint64_t place = index_ % block;
  if (place == 0) {
    drawn_.resize(block);
    threads::split(block, grain, [this](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        drawn_[static_cast<std::size_t>(i)] = book_.pair(split_, index_ + static_cast<std::uint64_t>(i));
    });
  }
  ++index_;
  return drawn_[place];
}

BilingualPhrase DistinctPairs::next() {
  for (std::uint64_t tries = 0; tries < patience; ++tries) {
    const BilingualPhrase& pair = draw();
    if (is_new(pair)) return pair;
  }
  fail("these patterns generate only {} distinct sentence pairs for this split; request fewer, or use more patterns",
       count_);
}

}  // namespace dragoman::phrasebook
