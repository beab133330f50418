#include "eval/slices.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "eval/python_str.h"

namespace dragoman::eval {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// A class of numbers: those up to `last` that are not in an earlier class.
struct Class {
  std::int64_t last;
  const char* name;
};

constexpr std::array<Class, 7> kLengths = {{{0, "empty"},
                                            {10, "1-10 words"},
                                            {20, "11-20 words"},
                                            {30, "21-30 words"},
                                            {40, "31-40 words"},
                                            {50, "41-50 words"},
                                            {kNoLimit, "51 words or more"}}};
constexpr std::array<Class, 5> kFrequencies = {{{0, "never seen"},
                                                {9, "seen 1-9 times"},
                                                {99, "seen 10-99 times"},
                                                {999, "seen 100-999 times"},
                                                {kNoLimit, "seen 1000 times or more"}}};

template <std::size_t N>
std::size_t class_of(const std::array<Class, N>& classes, std::int64_t value) {
  std::size_t index = 0;
  while (value > classes[index].last) ++index;
  return index;
}

std::vector<std::string> words_of(const std::string& line, BleuTokenizer tokenizer) {
  const std::string text = tokenize(tokenizer, python::rstrip(line));
  const std::vector<std::string_view> views = python::split(text);
  return {views.begin(), views.end()};
}

// Assigns every sentence to the slice of its value.
template <std::size_t N, class Value>
std::vector<Slice> make_slices(const std::array<Class, N>& classes, std::size_t sentences, Value value) {
  std::vector<Slice> slices;
  for (const Class& entry : classes) slices.push_back({entry.name, {}});
  for (std::size_t i = 0; i < sentences; ++i) slices[class_of(classes, value(i))].sentences.push_back(i);
  std::erase_if(slices, [](const Slice& slice) { return slice.sentences.empty(); });
  return slices;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

std::vector<Slice> slices_by_length(const Lines& references, BleuTokenizer tokenizer) {
  return make_slices(kLengths, references.size(), [&](std::size_t i) {
    return static_cast<std::int64_t>(words_of(references[i], tokenizer).size());
  });
}

void WordFrequencies::add(std::string_view line) {
  for (std::string& word : words_of(std::string(line), tokenizer_)) ++counts_[std::move(word)];
}

std::int64_t WordFrequencies::operator[](const std::string& word) const {
  const auto entry = counts_.find(word);
  return entry == counts_.end() ? 0 : entry->second;
}

std::vector<Slice> slices_by_rarest_word(const Lines& references, const WordFrequencies& frequencies,
                                         BleuTokenizer tokenizer) {
  return make_slices(kFrequencies, references.size(), [&](std::size_t i) {
    std::int64_t rarest = kNoLimit;
    for (const std::string& word : words_of(references[i], tokenizer)) rarest = std::min(rarest, frequencies[word]);
    return rarest;
  });
}

double WordClass::precision() const { return share(common, in_hypothesis); }
double WordClass::recall() const { return share(common, in_reference); }
double WordClass::f1() const { return share(2 * common, in_hypothesis + in_reference); }

std::vector<WordClass> word_classes(const Lines& hypotheses, const Lines& references,
                                    const WordFrequencies& frequencies, BleuTokenizer tokenizer) {
  check(hypotheses.size() == references.size(), "word classes: {} hypotheses but {} references", hypotheses.size(),
        references.size());
  std::vector<WordClass> classes;
  for (const Class& entry : kFrequencies) classes.push_back({entry.name});
  for (std::size_t i = 0; i < references.size(); ++i) {
    std::unordered_map<std::string, std::int64_t> left;  // reference words not yet matched
    for (const std::string& word : words_of(references[i], tokenizer)) {
      ++classes[class_of(kFrequencies, frequencies[word])].in_reference;
      ++left[word];
    }
    for (const std::string& word : words_of(hypotheses[i], tokenizer)) {
      WordClass& word_class = classes[class_of(kFrequencies, frequencies[word])];
      ++word_class.in_hypothesis;
      const auto entry = left.find(word);
      if (entry == left.end() || entry->second == 0) continue;
      --entry->second;
      ++word_class.common;
    }
  }
  std::erase_if(classes, [](const WordClass& entry) { return entry.in_reference + entry.in_hypothesis == 0; });
  return classes;
}

}  // namespace dragoman::eval
