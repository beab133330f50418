#include "eval/bleu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/words.h"
#include "eval/ngrams.h"
#include "eval/python_str.h"

namespace dragoman::eval {
namespace {

// The reference length closest to the hypothesis length; ties go to the shorter.
std::size_t closest_length(std::size_t hypothesis, std::span<const NgramMatcher::Units> references) {
  const auto distance = [hypothesis](std::size_t length) {
    return length > hypothesis ? length - hypothesis : hypothesis - length;
  };
  std::size_t best = references[0].size();
  for (const NgramMatcher::Units& reference : references) {
    const std::size_t length = reference.size();
    if (distance(length) < distance(best) || (distance(length) == distance(best) && length < best)) best = length;
  }
  return best;
}

double brevity_penalty(double hypothesis, double reference) {
  if (hypothesis >= reference) return 1;
  return hypothesis > 0 ? std::exp(1 - reference / hypothesis) : 0;
}

// exp of the mean logarithm of the first `order` precisions (in percent); 0 if one of them is 0.
double geometric_mean(const std::vector<double>& precisions, std::size_t order) {
  double sum = 0;
  for (std::size_t n = 0; n < order; ++n) {
    if (precisions[n] == 0) return 0;
    sum += std::log(precisions[n]);
  }
  return std::exp(sum / static_cast<double>(order));
}

std::string slash_list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.1f}", text.empty() ? "" : "/", value);
  return text;
}

}  // namespace

double BleuOptions::value() const {
  if (smooth_value >= 0) return smooth_value;
  return smoothing == BleuSmoothing::floor ? 0.1 : 1.0;
}

std::vector<std::string_view> BleuBase::words(std::string_view prepared) const { return python::split(prepared); }

void BleuBase::count(std::string_view hypothesis, std::span<const std::string_view> references,
                     std::span<double> statistics) const {
  WordNumbers numbers;
  std::vector<std::string> texts;
  texts.reserve(references.size() + 1);  // `numbers` keeps views of these
  texts.push_back(prepare(hypothesis));
  const NgramMatcher::Units hypothesis_words = numbers.numbers(words(texts[0]));
  std::vector<NgramMatcher::Units> reference_words;
  for (const std::string_view reference : references) {
    texts.push_back(prepare(reference));
    reference_words.push_back(numbers.numbers(words(texts.back())));
  }
  NgramMatcher matcher;
  const std::vector<std::size_t> matches = matcher.match(hypothesis_words, reference_words, order_);
  statistics[0] = static_cast<double>(hypothesis_words.size());
  statistics[1] = static_cast<double>(closest_length(hypothesis_words.size(), reference_words));
  for (std::size_t n = 0; n < order_; ++n) {
    statistics[2 + n] = static_cast<double>(matches[n]);
    statistics[2 + order_ + n] = static_cast<double>(ngram_count(hypothesis_words.size(), n + 1));
  }
}

BleuScore BleuBase::unscored(std::span<const double> sums) const {
  BleuScore result;
  result.hypothesis_length = sums[0];
  result.reference_length = sums[1];
  result.brevity_penalty = brevity_penalty(sums[0], sums[1]);
  const auto first = sums.begin() + 2;
  result.matches.assign(first, first + static_cast<std::ptrdiff_t>(order_));
  result.totals.assign(first + static_cast<std::ptrdiff_t>(order_), sums.end());
  result.precisions.assign(order_, 0);
  return result;
}

std::vector<Detail> BleuBase::details(std::span<const double> sums) const {
  const BleuScore bleu = compute(sums);
  return {{"precisions", bleu.precisions, true}, {"bp", {bleu.brevity_penalty}},       {"ratio", {bleu.ratio()}},
          {"hyp_len", {bleu.hypothesis_length}}, {"ref_len", {bleu.reference_length}}, {"matches", bleu.matches, true},
          {"totals", bleu.totals, true}};
}

std::string BleuBase::remark(std::span<const double> sums) const {
  const BleuScore bleu = compute(sums);
  return fmt::format("{} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})", slash_list(bleu.precisions),
                     bleu.brevity_penalty, bleu.ratio(), bleu.hypothesis_length, bleu.reference_length);
}

Bleu::Bleu(const BleuOptions& options) : BleuBase(static_cast<std::size_t>(options.order)), options_(options) {}

std::string Bleu::signature(std::size_t references) const {
  std::string smooth = name_of(options_.smoothing);
  if (options_.smoothing == BleuSmoothing::floor || options_.smoothing == BleuSmoothing::add_k)
    smooth += fmt::format("[{:.2f}]", options_.value());
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}{}{}", references, options_.lowercase ? "lc" : "mixed",
                     options_.effective_order ? "yes" : "no", name_of(options_.tokenizer), smooth,
                     order_ == 4 ? "" : fmt::format("|order:{}", order_), version_tag());
}

std::string Bleu::prepare(std::string_view line) const {
  if (!options_.lowercase) return tokenize(options_.tokenizer, python::rstrip(line));
  return tokenize(options_.tokenizer, python::rstrip(python::lower(line)));
}

BleuScore Bleu::compute(std::span<const double> sums, bool effective_order) const {
  BleuScore bleu = unscored(sums);
  if (std::all_of(bleu.matches.begin(), bleu.matches.end(), [](double m) { return m == 0; })) return bleu;
  std::size_t order = order_;
  double halving = 1;
  for (std::size_t n = 0; n < order_; ++n) {
    if (options_.smoothing == BleuSmoothing::add_k && n > 0) {
      bleu.matches[n] += options_.value();
      bleu.totals[n] += options_.value();
    }
    if (bleu.totals[n] == 0) break;
    if (effective_order) order = n + 1;
    if (bleu.matches[n] > 0) {
      bleu.precisions[n] = 100 * bleu.matches[n] / bleu.totals[n];
    } else if (options_.smoothing == BleuSmoothing::exponential) {
      halving *= 2;
      bleu.precisions[n] = 100 / (halving * bleu.totals[n]);
    } else if (options_.smoothing == BleuSmoothing::floor) {
      bleu.precisions[n] = 100 * options_.value() / bleu.totals[n];
    }
  }
  bleu.score = bleu.brevity_penalty * geometric_mean(bleu.precisions, order);
  return bleu;
}

std::string NltkBleu::signature(std::size_t references) const {
  return fmt::format("nrefs:{}|case:mixed|tok:none|smooth:nltk-method0{}", references, version_tag());
}

void NltkBleu::count(std::string_view hypothesis, std::span<const std::string_view> references,
                     std::span<double> statistics) const {
  BleuBase::count(hypothesis, references, statistics);
  for (double& total : statistics.subspan(2 + order_)) total = std::max(total, 1.0);
}

BleuScore NltkBleu::compute(std::span<const double> sums) const {
  BleuScore bleu = unscored(sums);
  if (bleu.matches[0] == 0) return bleu;
  double sum = 0;
  for (std::size_t n = 0; n < order_; ++n) {
    const double precision = bleu.matches[n] / bleu.totals[n];
    bleu.precisions[n] = 100 * precision;
    sum += std::log(precision > 0 ? precision : std::numeric_limits<double>::min()) / static_cast<double>(order_);
  }
  bleu.score = 100 * bleu.brevity_penalty * std::exp(sum);
  return bleu;
}

std::string MultiBleu::signature(std::size_t references) const {
  return fmt::format("nrefs:{}|case:{}|tok:none|smooth:none{}", references, options_.lowercase ? "lc" : "mixed",
                     version_tag());
}

std::string MultiBleu::prepare(std::string_view line) const {
  std::string text(line);
  if (options_.lowercase)
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return text;
}

std::vector<std::string_view> MultiBleu::words(std::string_view prepared) const {
  std::vector<std::string_view> words;
  data::for_each_word(prepared, [&](std::string_view word) { words.push_back(word); });
  return words;
}

BleuScore MultiBleu::compute(std::span<const double> sums) const {
  BleuScore bleu = unscored(sums);
  for (std::size_t n = 0; n < order_; ++n)
    if (bleu.totals[n] > 0) bleu.precisions[n] = 100 * bleu.matches[n] / bleu.totals[n];
  bleu.score = bleu.brevity_penalty * geometric_mean(bleu.precisions, order_);
  return bleu;
}

}  // namespace dragoman::eval
