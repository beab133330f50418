#include "align/shortlist.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/error.h"

namespace dragoman::align {
namespace {

// Less probable translations are noise of words that occur in the same sentences.
constexpr double kLeastProbability = 1e-4;

void check_tokens(std::span<const std::int32_t> tokens, std::int64_t vocabulary) {
  for (const std::int32_t token : tokens)
    check(token >= 0 && token < vocabulary, "the shortlist has token {}, which a vocabulary of {} tokens does not have",
          token, vocabulary);
}

// The aligner counts words by their spelling; that of a token is its id.
std::vector<std::string> spelled(std::span<const std::int32_t> tokens) {
  std::vector<std::string> words;
  words.reserve(tokens.size());
  for (const std::int32_t token : tokens) words.push_back(std::to_string(token));
  return words;
}

// The token of each word id; -1 for the common id of rare words.
std::vector<std::int32_t> tokens_of(const WordIds& words) {
  std::vector<std::int32_t> tokens;
  for (const std::string& key : words.keys()) {
    std::int32_t token = -1;
    std::from_chars(key.data(), key.data() + key.size(), token);
    tokens.push_back(token);
  }
  return tokens;
}

struct Weighted {
  std::int32_t token;
  double weight;
};

// The tokens with the largest weights, in increasing order.
std::vector<std::int32_t> heaviest(std::vector<Weighted> all, int count) {
  const auto last = all.begin() + std::min<std::ptrdiff_t>(count, std::ssize(all));
  std::partial_sort(all.begin(), last, all.end(), [](const Weighted& a, const Weighted& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
  });
  std::vector<std::int32_t> tokens;
  for (auto one = all.begin(); one != last; ++one) tokens.push_back(one->token);
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

}  // namespace

Shortlist::Shortlist(const Vocabularies& vocabularies, std::vector<std::int32_t> frequent,
                     std::vector<std::int32_t> begins, std::vector<std::int32_t> targets)
    : target_vocabulary_(vocabularies.target),
      frequent_(std::move(frequent)),
      begins_(std::move(begins)),
      targets_(std::move(targets)) {
  check(
      std::ssize(begins_) == vocabularies.source + 1,
      "the shortlist has {} places where the translations of a token begin; a source vocabulary of {} tokens needs {}",
      begins_.size(), vocabularies.source, vocabularies.source + 1);
  check(
      begins_.front() == 0 && begins_.back() == std::ssize(targets_) && std::is_sorted(begins_.begin(), begins_.end()),
      "the shortlist's places must rise from 0 to its {} translations", targets_.size());
  check_tokens(frequent_, vocabularies.target);
  check_tokens(targets_, vocabularies.target);
}

// A set of target tokens: one bit each.
class Shortlist::Chosen {
 public:
  explicit Chosen(std::int64_t vocabulary) : bits_(static_cast<std::size_t>(vocabulary + 63) / 64) {}

  void add(std::span<const std::int32_t> tokens) {
    for (const std::int32_t token : tokens) bits_[static_cast<std::size_t>(token) / 64] |= bit(token);
  }
  void remove(std::span<const std::int32_t> tokens) {
    for (const std::int32_t token : tokens) bits_[static_cast<std::size_t>(token) / 64] &= ~bit(token);
  }
  // In increasing order.
  std::vector<std::int32_t> tokens() const {
    std::vector<std::int32_t> tokens;
    for (std::size_t i = 0; i < bits_.size(); ++i)
      for (std::uint64_t left = bits_[i]; left != 0; left &= left - 1)
        tokens.push_back(static_cast<std::int32_t>(64 * i) + std::countr_zero(left));
    return tokens;
  }

 private:
  static std::uint64_t bit(std::int32_t token) { return std::uint64_t{1} << (token % 64); }

  std::vector<std::uint64_t> bits_;
};

Shortlist::Chosen Shortlist::choose_by(std::span<const std::int32_t> source, std::span<const std::int32_t> more) const {
  Chosen chosen(target_vocabulary_);
  chosen.add(more);
  for (const std::int32_t token : source) {
    const auto begin = static_cast<std::size_t>(begins_[static_cast<std::size_t>(token)]);
    const auto end = static_cast<std::size_t>(begins_[static_cast<std::size_t>(token) + 1]);
    chosen.add(std::span(targets_).subspan(begin, end - begin));
  }
  return chosen;
}

std::vector<std::int32_t> Shortlist::choose(std::span<const std::int32_t> source,
                                            std::span<const std::int32_t> more) const {
  Chosen chosen = choose_by(source, more);
  chosen.add(frequent_);
  return chosen.tokens();
}

std::vector<std::int32_t> Shortlist::choose_rare(std::span<const std::int32_t> source,
                                                 std::span<const std::int32_t> more) const {
  Chosen chosen = choose_by(source, more);
  chosen.remove(frequent_);
  return chosen.tokens();
}

TokenPairs::TokenPairs(std::size_t max_tokens)
    : bitext_({.language = text::Language::generic, .fold = false, .stem = 0},
              {.language = text::Language::generic, .fold = false, .stem = 0}, max_tokens) {}

void TokenPairs::add(std::span<const std::int32_t> source, std::span<const std::int32_t> target) {
  bitext_.add(spelled(source), spelled(target));
}

TokenPairs::Lists TokenPairs::translations(const TranslationTable& table, const Shortlist::Vocabularies& vocabularies,
                                           const Choice& choice) const {
  const Cooccurrence& pairs = table.cooccurrence();
  const std::vector<std::int32_t> sources = tokens_of(bitext_.source().words());
  const std::vector<std::int32_t> targets = tokens_of(bitext_.target().words());
  Lists lists(static_cast<std::size_t>(vocabularies.source));
  for (std::size_t row = 0; row < pairs.rows(); ++row) {
    if (sources[row] < 0) continue;
    std::vector<Weighted> translations;
    for (std::size_t at = pairs.row_begin(row); at < pairs.row_begin(row + 1); ++at) {
      const std::int32_t token = targets[static_cast<std::size_t>(pairs.target(at))];
      const auto probability = static_cast<double>(table.cell(static_cast<std::uint32_t>(at)).forward);
      if (token >= 0 && probability >= kLeastProbability) translations.push_back({token, probability});
    }
    lists.at(static_cast<std::size_t>(sources[row])) = heaviest(std::move(translations), choice.best);
  }
  if (choice.copies)
    for (std::size_t token = 0; token < lists.size(); ++token) {
      const auto copy = static_cast<std::int32_t>(token);
      const auto place = std::lower_bound(lists[token].begin(), lists[token].end(), copy);
      if (place == lists[token].end() || *place != copy) lists[token].insert(place, copy);
    }
  return lists;
}

std::vector<std::int32_t> TokenPairs::missed(const Lists& lists, std::int64_t target_vocabulary, int count) const {
  const std::vector<std::int32_t> sources = tokens_of(bitext_.source().words());
  const std::vector<std::int32_t> targets = tokens_of(bitext_.target().words());
  std::vector<Weighted> tokens;
  for (const std::int32_t token : targets) tokens.push_back({token, 0});
  const double rarely =
      1 / (1 + static_cast<double>(bitext_.target().tokens()));  // all occurrences are less than a miss
  std::vector<std::size_t> suggested(
      static_cast<std::size_t>(target_vocabulary));  // the last sentence to suggest it, from 1
  for (std::size_t i = 0; i < bitext_.source().sentences(); ++i) {
    for (const std::int32_t word : bitext_.source().sentence(i))
      if (const std::int32_t token = sources[static_cast<std::size_t>(word)]; token >= 0)
        for (const std::int32_t target : lists[static_cast<std::size_t>(token)])
          suggested[static_cast<std::size_t>(target)] = i + 1;
    for (const std::int32_t word : bitext_.target().sentence(i)) {
      Weighted& target = tokens[static_cast<std::size_t>(word)];
      if (target.token >= 0)
        target.weight += rarely + (suggested[static_cast<std::size_t>(target.token)] != i + 1 ? 1 : 0);
    }
  }
  std::erase_if(tokens, [](const Weighted& one) { return one.token < 0 || one.weight == 0; });
  return heaviest(std::move(tokens), count);
}

Shortlist TokenPairs::shortlist(const TranslationTable& table, const Shortlist::Vocabularies& vocabularies,
                                const Choice& choice) const {
  const Lists lists = translations(table, vocabularies, choice);
  std::vector<std::int32_t> begins{0}, flat;
  for (const std::vector<std::int32_t>& list : lists) {
    flat.insert(flat.end(), list.begin(), list.end());
    begins.push_back(static_cast<std::int32_t>(flat.size()));
  }
  return {vocabularies, missed(lists, vocabularies.target, choice.frequent), std::move(begins), std::move(flat)};
}

}  // namespace dragoman::align
