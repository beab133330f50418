#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "text/build.h"
#include "text/id_count.h"

namespace dragoman::run {

enum class VocabularyKind { words, bpe, unigram, byte_bpe };
// The tokenisation rules of one side: 0 means those of both sides, i the i-th of text::Language, counted from 1.
enum class SideLanguage : int {};

// Options for building a vocabulary.
struct VocabularyOptions {
  VocabularyKind type = VocabularyKind::unigram;
  std::int32_t size = 0;
  std::int64_t min_count = 1;
  int multiple = 8;
  text::WordOptions words;
  text::SignOptions signs;
  double character_coverage = 0.9995;
  bool byte_fallback = true, split_digits = false;
  std::int64_t sample = 2'000'000;
  std::uint64_t seed = 1;
  std::string encoder, merges;

  template <class V>
  void visit(V& v) {
    v("type", type, "words, subwords (bpe, unigram) or byte-level BPE");
    v("size", size, "maximum number of ids; 0 means 8000 subwords or all words", at_least(0));
    v("min-count", min_count, "rarer words become unknown", at_least(1));
    v("multiple", multiple, "round the number of ids up to a multiple of this", between(1, text::kLargestMultiple));
    words.visit(v);
    v("character-coverage", character_coverage, "fraction of character occurrences that subwords must cover",
      between(0.9, 1));
    v("byte-fallback", byte_fallback, "encode characters that subwords do not cover as bytes");
    v("split-digits", split_digits, "make each digit a subword of its own, so that models copy numbers digit by digit");
    signs.visit(v);
    v("sample", sample, "learn subwords from at most this many lines, sampled at random", at_least(1));
    v("seed", seed, "seed of the sample");
    v("encoder", encoder, "encoder.json of an existing byte-level BPE");
    v("merges", merges, "vocab.bpe of the same byte-level BPE");
    v.only_if(
        "size min-count character-coverage byte-fallback split-digits detach-marks fold-capitals sample seed",
        [this] { return !is_given(); }, "the byte-level BPE comes from files (encoder, merges)");
    v.only_if(
        "min-count language joiners", [this] { return type == VocabularyKind::words; },
        "only vocabularies of words use it (type words)");
    v.only_if(
        "normalize lower expand-contractions", [this] { return type != VocabularyKind::byte_bpe; },
        "byte-level BPE keeps the text as it is");
    v.only_if(
        "character-coverage byte-fallback split-digits detach-marks fold-capitals sample seed",
        [this] { return type == VocabularyKind::bpe || type == VocabularyKind::unigram; },
        "only subwords use it (type bpe or unigram)");
  }

  // Whether the vocabulary comes from files, so that no text is needed.
  bool is_given() const { return !encoder.empty() || !merges.empty(); }
};

// The options for one side of a corpus. If the side has a language of its own, its rules are used, and contractions are
// expanded only if it is English.
VocabularyOptions for_side(VocabularyOptions options, SideLanguage language);

// Builds a vocabulary from lines of text. Reads no lines if is_given().
std::unique_ptr<text::Tokenizer> make_vocabulary(const VocabularyOptions& options, const text::LineSource& lines);
// The same from the lines of files.
std::unique_ptr<text::Tokenizer> make_vocabulary(const VocabularyOptions& options,
                                                 const std::vector<std::string>& corpora);

}  // namespace dragoman::run

template <>
struct dragoman::EnumNames<dragoman::run::VocabularyKind> {
  using Kind = dragoman::run::VocabularyKind;
  static constexpr std::pair<Kind, const char*> list[] = {
      {Kind::words, "words"}, {Kind::bpe, "bpe"}, {Kind::unigram, "unigram"}, {Kind::byte_bpe, "byte-bpe"}};
};

template <>
struct dragoman::EnumNames<dragoman::run::SideLanguage> {
  using Side = dragoman::run::SideLanguage;
  static constexpr std::size_t kLanguages = std::size(EnumNames<text::Language>::list);
  static constexpr std::array<std::pair<Side, const char*>, kLanguages + 1> list = [] {
    std::array<std::pair<Side, const char*>, kLanguages + 1> names{{{Side{0}, "same"}}};
    for (std::size_t i = 0; i < kLanguages; ++i)
      names[i + 1] = {static_cast<Side>(i + 1), EnumNames<text::Language>::list[i].second};
    return names;
  }();
};
