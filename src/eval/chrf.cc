#include "eval/chrf.h"

#include <algorithm>

#include "eval/python_str.h"
#include "text/unicode.h"

namespace dragoman::eval {
namespace {

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool is_one_character(std::string_view word) { return text::code_point_at(word, 0).length == word.size(); }

// Splits one punctuation mark off each word: the last character if it is one, else the first.
std::vector<std::string_view> words_and_marks(std::string_view line) {
  std::vector<std::string_view> result;
  for (const std::string_view word : python::split(line)) {
    std::size_t cut = 0;
    if (!is_one_character(word)) {
      if (is_ascii_punctuation(word.back())) {
        cut = word.size() - 1;
      } else if (is_ascii_punctuation(word.front())) {
        cut = 1;
      }
    }
    if (cut > 0) result.push_back(word.substr(0, cut));
    result.push_back(word.substr(cut));
  }
  return result;
}

// Writes (hypothesis, reference, matches) for each order. Ignores hypothesis n-grams of orders that the reference
// lacks.
void write_counts(NgramMatcher& matcher, const NgramMatcher::Units& hypothesis, const NgramMatcher::Units& reference,
                  std::size_t orders, double* out) {
  const std::vector<std::size_t> matches = matcher.match(hypothesis, {&reference, 1}, orders);
  for (std::size_t n = 1; n <= orders; ++n) {
    const std::size_t reference_count = ngram_count(reference.size(), n);
    *out++ = reference_count > 0 ? static_cast<double>(ngram_count(hypothesis.size(), n)) : 0;
    *out++ = static_cast<double>(reference_count);
    *out++ = static_cast<double>(matches[n - 1]);
  }
}

}  // namespace

std::string Chrf::name() const {
  return fmt::format("chrF{}", options_.beta) + std::string(static_cast<std::size_t>(options_.word_order), '+');
}

std::string Chrf::signature(std::size_t references) const {
  return fmt::format("nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}{}", references, options_.lowercase ? "lc" : "mixed",
                     options_.eps_smoothing ? "no" : "yes", options_.char_order, options_.word_order,
                     options_.whitespace ? "yes" : "no", version_tag());
}

NgramMatcher::Units Chrf::characters(std::string_view line) const {
  NgramMatcher::Units units;
  units.reserve(line.size());
  for (const char32_t c : text::code_points(line)) {
    if (options_.whitespace || !python::is_space(c)) units.push_back(c);
  }
  return units;
}

void Chrf::count(std::string_view hypothesis, std::span<const std::string_view> references,
                 std::span<double> statistics) const {
  std::vector<std::string> lowered;
  std::vector<std::string_view> lines = {hypothesis};
  lines.insert(lines.end(), references.begin(), references.end());
  if (options_.lowercase) {
    for (const std::string_view line : lines) lowered.push_back(python::lower(line));
    lines.assign(lowered.begin(), lowered.end());
  }
  NgramMatcher matcher;
  WordNumbers numbers;
  const auto char_order = static_cast<std::size_t>(options_.char_order);
  const auto word_order = static_cast<std::size_t>(options_.word_order);
  const NgramMatcher::Units hypothesis_characters = characters(lines[0]);
  NgramMatcher::Units hypothesis_words;
  if (word_order > 0) hypothesis_words = numbers.numbers(words_and_marks(lines[0]));
  double best = -1;
  std::vector<double> candidate(width());
  for (std::size_t r = 1; r < lines.size(); ++r) {
    write_counts(matcher, hypothesis_characters, characters(lines[r]), char_order, candidate.data());
    if (word_order > 0)
      write_counts(matcher, hypothesis_words, numbers.numbers(words_and_marks(lines[r])), word_order,
                   candidate.data() + 3 * char_order);
    const double f_score = score(candidate);
    if (f_score <= best) continue;
    best = f_score;
    std::copy(candidate.begin(), candidate.end(), statistics.begin());
  }
}

double Chrf::score(std::span<const double> sums) const {
  constexpr double kEpsilon = 1e-16;
  const double factor = static_cast<double>(options_.beta) * options_.beta;
  double f_sum = 0, precision_sum = 0, recall_sum = 0;
  int present = 0;  // orders that occur on both sides
  for (std::size_t n = 0; n < orders(); ++n) {
    const double hypothesis = sums[3 * n], reference = sums[3 * n + 1], matches = sums[3 * n + 2];
    const double precision = hypothesis > 0 ? matches / hypothesis : kEpsilon;
    const double recall = reference > 0 ? matches / reference : kEpsilon;
    const double denominator = factor * precision + recall;
    f_sum += denominator > 0 ? (1 + factor) * precision * recall / denominator : kEpsilon;
    if (hypothesis > 0 && reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++present;
    }
  }
  if (options_.eps_smoothing) return 100 * f_sum / static_cast<double>(orders());
  if (present == 0 || precision_sum + recall_sum == 0) return 0;
  const double precision = precision_sum / present, recall = recall_sum / present;
  return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

}  // namespace dragoman::eval
