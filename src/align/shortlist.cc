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

std::vector<std::int32_t> frequent_tokens(const IdText& text, const std::vector<std::int32_t>& tokens, int count) {
  std::vector<Weighted> counts;
  for (const std::int32_t token : tokens) counts.push_back({token, 0});
  for (std::size_t i = 0; i < text.sentences(); ++i)
    for (const std::int32_t word : text.sentence(i)) ++counts[static_cast<std::size_t>(word)].weight;
  std::erase_if(counts, [](const Weighted& one) { return one.token < 0 || one.weight == 0; });
  return heaviest(std::move(counts), count);
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

std::vector<std::int32_t> Shortlist::choose(std::span<const std::int32_t> source,
                                            std::span<const std::int32_t> more) const {
  std::vector<std::uint64_t> chosen(static_cast<std::size_t>(target_vocabulary_ + 63) / 64);  // one bit per token
  const auto add = [&](std::span<const std::int32_t> tokens) {
    for (const std::int32_t token : tokens)
      chosen[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
  };
  add(frequent_);
  add(more);
  for (const std::int32_t token : source) {
    const auto begin = static_cast<std::size_t>(begins_[static_cast<std::size_t>(token)]);
    const auto end = static_cast<std::size_t>(begins_[static_cast<std::size_t>(token) + 1]);
    add(std::span(targets_).subspan(begin, end - begin));
  }
  std::vector<std::int32_t> tokens;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (std::uint64_t left = chosen[i]; left != 0; left &= left - 1)
      tokens.push_back(static_cast<std::int32_t>(64 * i) + std::countr_zero(left));
  return tokens;
}

TokenPairs::TokenPairs(std::size_t max_tokens)
    : bitext_({.language = text::Language::generic, .fold = false, .stem = 0},
              {.language = text::Language::generic, .fold = false, .stem = 0}, max_tokens) {}

void TokenPairs::add(std::span<const std::int32_t> source, std::span<const std::int32_t> target) {
  bitext_.add(spelled(source), spelled(target));
}

Shortlist TokenPairs::shortlist(const TranslationTable& table, const Shortlist::Vocabularies& vocabularies,
                                const Sizes& sizes) const {
  const Cooccurrence& pairs = table.cooccurrence();
  const std::vector<std::int32_t> sources = tokens_of(bitext_.source().words());
  const std::vector<std::int32_t> targets = tokens_of(bitext_.target().words());
  std::vector<std::vector<std::int32_t>> lists(static_cast<std::size_t>(vocabularies.source));
  for (std::size_t row = 0; row < pairs.rows(); ++row) {
    if (sources[row] < 0) continue;
    std::vector<Weighted> translations;
    for (std::size_t at = pairs.row_begin(row); at < pairs.row_begin(row + 1); ++at) {
      const std::int32_t token = targets[static_cast<std::size_t>(pairs.target(at))];
      const auto probability = static_cast<double>(table.cell(static_cast<std::uint32_t>(at)).forward);
      if (token >= 0 && probability >= kLeastProbability) translations.push_back({token, probability});
    }
    lists.at(static_cast<std::size_t>(sources[row])) = heaviest(std::move(translations), sizes.best);
  }
  std::vector<std::int32_t> begins{0}, flat;
  for (const std::vector<std::int32_t>& list : lists) {
    flat.insert(flat.end(), list.begin(), list.end());
    begins.push_back(static_cast<std::int32_t>(flat.size()));
  }
  return {vocabularies, frequent_tokens(bitext_.target(), targets, sizes.frequent), std::move(begins), std::move(flat)};
}

}  // namespace dragoman::align
