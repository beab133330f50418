#include "run/make_vocabulary.h"

#include "data/line_reader.h"
#include "run/corpus_lines.h"
#include "text/byte_bpe.h"

namespace dragoman::run {
namespace {

constexpr std::int32_t kDefaultSubwords = 8000;

std::unique_ptr<text::Tokenizer> given(const VocabularyOptions& options) {
  check(options.type == VocabularyKind::byte_bpe, "--encoder and --merges are for --type byte-bpe, not {}",
        name_of(options.type));
  check(!options.encoder.empty() && !options.merges.empty(), "--encoder and --merges belong together");
  return std::make_unique<text::ByteBpe>(data::read_whole(options.encoder), data::read_whole(options.merges),
                                         options.multiple);
}

}  // namespace

VocabularyOptions for_side(VocabularyOptions options, SideLanguage language) {
  if (language == SideLanguage{}) return options;
  options.words.language = EnumNames<text::Language>::list[static_cast<std::size_t>(language) - 1].first;
  options.words.prepare.expand_contractions &= options.words.language == text::Language::english;
  return options;
}

std::unique_ptr<text::Tokenizer> make_vocabulary(const VocabularyOptions& options, const text::LineSource& lines) {
  if (options.is_given()) return given(options);
  const std::int32_t subwords = options.size > 0 ? options.size : kDefaultSubwords;
  switch (options.type) {
    case VocabularyKind::words:
      return text::build_words(lines, options.words, {options.min_count, options.size, options.multiple});
    case VocabularyKind::byte_bpe: return text::build_byte_bpe(lines, subwords, options.multiple);
    case VocabularyKind::bpe:
    case VocabularyKind::unigram: break;
  }
  return text::build_subwords(
      lines, {options.words.prepare, options.signs},
      {.kind = options.type == VocabularyKind::bpe ? text::SubwordKind::bpe : text::SubwordKind::unigram,
       .size = subwords,
       .multiple = options.multiple,
       .character_coverage = options.character_coverage,
       .byte_fallback = options.byte_fallback,
       .split_digits = options.split_digits,
       .seed = options.seed,
       .sample = options.sample});
}

std::unique_ptr<text::Tokenizer> make_vocabulary(const VocabularyOptions& options,
                                                 const std::vector<std::string>& corpora) {
  if (options.is_given()) return given(options);
  check(!corpora.empty(), "expected one or more corpora to learn from, or --encoder and --merges");
  CorpusLines lines(corpora, "reading");
  return make_vocabulary(options, lines.source());
}

}  // namespace dragoman::run
