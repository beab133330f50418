#include "run/training_data.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/counted.h"
#include "base/hash.h"
#include "base/join.h"
#include "base/progress.h"
#include "base/threads.h"
#include "store/model_file.h"
#include "text/tokenizer_file.h"
#include "text/vocabulary.h"
#include "train/task.h"

namespace dragoman::run {
namespace {

enum class Side { source, target, both };

// The sentences of one side, or of both sides, of all training corpora. With languages, a file that is part of several
// corpora counts once, so that the counts of words do not depend on the number of directions.
class SideLines {
 public:
  SideLines(const TrainingOptions& options, Side side)
      : options_(options),
        corpora_(options.corpus.corpora()),
        filters_(options.filters()),
        progress_("reading for a vocabulary", 0, "pairs"),
        wants_source_(side != Side::target),
        wants_target_(side != Side::source) {}

  bool next(std::string& line) {
    while (!has_source_ && !has_target_) {
      if (!reader_ && !open_next()) return false;
      if (!reader_->next(pair_)) {
        reader_ = nullptr;
      } else if (filters_.keeps(pair_)) {
        progress_.advance();
        has_source_ = takes_source_;
        has_target_ = takes_target_;
      }
    }
    line = std::move(has_source_ ? pair_.source : pair_.target);
    (has_source_ ? has_source_ : has_target_) = false;
    return true;
  }
  // The number of pairs read so far that the filters keep.
  std::uint64_t kept() const { return filters_.kept(); }

 private:
  // Opens the next corpus with a side that is wanted.
  bool open_next() {
    for (; opened_ < corpora_.size() && !reader_; ++opened_) {
      const data::Corpus& corpus = corpora_[opened_];
      const std::string& target_file = corpus.target.empty() ? corpus.source : corpus.target;
      takes_source_ = wants_source_ && is_new(corpus, corpus.source, corpus.source_column);
      takes_target_ = wants_target_ && is_new(corpus, target_file, corpus.target_column);
      if (takes_source_ || takes_target_) reader_ = data::PairReader::open(corpus, options_.reading);
    }
    return reader_ != nullptr;
  }
  bool is_new(const data::Corpus& corpus, const std::string& file, const std::string& column) {
    const bool in_columns = corpus.format != data::Format::lines;
    return !corpus.languages || seen_.insert({file, in_columns ? column : ""}).second;
  }

  const TrainingOptions& options_;
  std::vector<data::Corpus> corpora_;
  data::Filters filters_;
  Progress progress_;
  bool wants_source_, wants_target_;                    // sides of all corpora
  bool takes_source_ = false, takes_target_ = false;    // sides of the open corpus
  bool has_source_ = false, has_target_ = false;        // sides of pair_ yet to return
  std::set<std::pair<std::string, std::string>> seen_;  // files and columns
  std::size_t opened_ = 0;
  std::unique_ptr<data::PairReader> reader_;
  data::Pair pair_;
};

VocabularyOptions side_options(const RunVocabulary& options, Side side) {
  check(side != Side::both || options.source_language == options.target_language,
        "one vocabulary for both sides has one set of tokenisation rules, but vocab.source-language is {} and "
        "vocab.target-language is {}",
        name_of(options.source_language), name_of(options.target_language));
  return for_side(options.made, side == Side::target ? options.target_language : options.source_language);
}

std::unique_ptr<text::Tokenizer> make(const TrainingOptions& options, Side side) {
  SideLines lines(options, side);
  return make_vocabulary(side_options(options.vocabulary, side), [&](std::string& line) { return lines.next(line); });
}

// Labels are separated by spaces; each distinct label is a class.
std::unique_ptr<text::Tokenizer> make_labels(const TrainingOptions& options) {
  SideLines lines(options, Side::target);
  auto labels = text::build_words([&](std::string& line) { return lines.next(line); },
                                  {.language = text::Language::tokenized}, {.min_count = 1, .size = 0, .multiple = 1});
  const std::int32_t count = labels->size() - text::Vocabulary::kSpecial;
  check(count >= 2, "a classifier needs at least two labels, but the {} that filters keep have {}",
        counted(lines.kept(), "pair"), count);
  return labels;
}

std::string source_file(const TrainingOptions& options) { return options.train.output + "/source.vocab"; }
std::string target_file(const TrainingOptions& options) { return options.train.output + "/target.vocab"; }

bool is_shared(const TrainingOptions& options) {
  return options.task == TrainTask::translate &&
         (options.vocabulary.shared || options.model.tied == models::Tie::all || !options.corpus.languages.empty());
}

// The target languages of the corpora, in order, each once.
std::vector<std::string> target_languages(const TrainingOptions& options) {
  std::vector<std::string> languages;
  for (const data::Corpus& corpus : options.corpus.corpora())
    if (corpus.languages && std::find(languages.begin(), languages.end(), corpus.languages->target) == languages.end())
      languages.push_back(corpus.languages->target);
  return languages;
}

std::shared_ptr<const text::Tokenizer> source_vocabulary(const TrainingOptions& options) {
  std::shared_ptr<const text::Tokenizer> text;
  if (!options.vocabulary.source.empty())
    text = text::load_tokenizer(options.vocabulary.source);
  else
    text = make(options, is_shared(options) ? Side::both : Side::source);
  if (options.corpus.languages.empty() || !text->language_tags().languages.empty()) return text;
  return std::make_shared<text::TaggedTokenizer>(text, target_languages(options), options.vocabulary.made.multiple);
}

// Throws Error unless the vocabulary has a tag for every target language, and none if the corpora have no languages.
void check_languages(const TrainingOptions& options, const text::LanguageTags& tags) {
  const std::vector<std::string> wanted = target_languages(options);
  check(wanted.empty() || options.task == TrainTask::translate, "--languages is for --task translate");
  check(tags.languages.empty() || !wanted.empty(),
        "the vocabulary is that of a model for several languages, into {}; say the languages of every corpus "
        "(--languages en-de)",
        join(tags.languages, ", "));
  for (const std::string& language : wanted)
    check(tags.find(language) != text::LanguageTags::kNone,
          "the vocabulary has no tag for the target language '{}'; it has {}. A new language needs a new model",
          language, tags.languages.empty() ? "none" : join(tags.languages, ", "));
}

std::shared_ptr<const text::Tokenizer> target_vocabulary(const TrainingOptions& options,
                                                         std::shared_ptr<const text::Tokenizer> source) {
  if (!options.vocabulary.target.empty()) return text::load_tokenizer(options.vocabulary.target);
  if (options.task == TrainTask::classify) return make_labels(options);
  return is_shared(options) ? std::move(source) : make(options, Side::target);
}

Vocabularies vocabularies_of_model(const std::string& path) {
  const store::ModelFile model(path);
  check(!model.info().source_tokenizer.empty() && !model.info().target_tokenizer.empty(),
        "{}: contains no vocabularies, so it cannot be fine-tuned", path);
  return {text::deserialize_tokenizer(model.info().source_tokenizer),
          text::deserialize_tokenizer(model.info().target_tokenizer)};
}

// The lengths of one side of the sentences that batches are made of.
struct SideLengths {
  std::uint64_t tokens = 0;
  std::uint32_t longest = 0;

  void add(std::uint32_t length, std::int64_t most) {
    if (data::exceeds(length, most)) length = static_cast<std::uint32_t>(most);
    tokens += length;
    longest = std::max(longest, length);
  }
  std::string show(std::uint64_t pairs) const {
    return fmt::format("{}, {:.1f} per sentence, {} at most", counted(tokens, "token"),
                       static_cast<double>(tokens) / static_cast<double>(std::max<std::uint64_t>(pairs, 1)), longest);
  }
};

// Lengths after the limits, as batches see them.
void add_lengths(Facts& facts, const std::string& name, const std::vector<data::BatchSource>& sources,
                 const data::RowOptions& limits) {
  std::uint64_t pairs = 0;
  SideLengths source, target;
  for (const data::BatchSource& part : sources)
    for (std::uint64_t row = 0; row < part.store.rows(); ++row) {
      if (data::is_held_out(part.split, row, part.store.rows()) != part.held_out) continue;
      const std::uint32_t source_length = part.store.source_length(row), target_length = part.store.target_length(row);
      if (limits.too_long == data::TooLong::drop && (data::exceeds(source_length, limits.max_source_length) ||
                                                     data::exceeds(target_length, limits.max_target_length)))
        continue;
      ++pairs;
      source.add(source_length, limits.max_source_length);
      target.add(target_length, limits.max_target_length);
    }
  facts.emplace_back(name + " pairs", with_commas(static_cast<std::int64_t>(pairs)));
  facts.emplace_back(name + " source", source.show(pairs));
  facts.emplace_back(name + " target", target.show(pairs));
}

// Hash of the ids of rows [begin, end) that the source uses.
std::uint64_t hash_of_rows(const data::BatchSource& source, std::uint64_t begin, std::uint64_t end) {
  Hasher hasher;
  std::vector<std::int32_t> ids;
  const auto add_ids = [&](std::uint32_t length, auto copy) {
    ids.resize(length);
    copy(std::span(ids));
    hasher.add_value(length);
    hasher.add({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof ids[0]});
  };
  const data::TokenStore& store = source.store;
  for (std::uint64_t row = begin; row < end; ++row) {
    if (data::is_held_out(source.split, row, store.rows()) != source.held_out) continue;
    add_ids(store.source_length(row), [&](std::span<std::int32_t> out) { store.copy_source(row, out); });
    add_ids(store.target_length(row), [&](std::span<std::int32_t> out) { store.copy_target(row, out); });
  }
  return hasher.value();
}

// The same for all rows, block by block on all threads.
std::uint64_t hash_of_rows(const data::BatchSource& source) {
  constexpr std::uint64_t kBlock = 1 << 16;
  const std::uint64_t rows = source.store.rows();
  std::vector<std::uint64_t> blocks((rows + kBlock - 1) / kBlock);
  threads::each(std::ssize(blocks), [&](std::int64_t i) {
    const std::uint64_t begin = static_cast<std::uint64_t>(i) * kBlock;
    blocks[static_cast<std::size_t>(i)] = hash_of_rows(source, begin, std::min(begin + kBlock, rows));
  });
  Hasher hasher;
  for (const std::uint64_t block : blocks) hasher.add_value(block);
  return hasher.value();
}

// Throws Error unless every target of the rows in use is one label that the vocabulary has.
void check_labels(const data::BatchSource& source, const data::Corpus& corpus, std::int32_t classes) {
  const data::TokenStore& store = source.store;
  const std::string& file = corpus.target.empty() ? corpus.source : corpus.target;
  std::vector<std::int32_t> target;
  for (std::uint64_t row = 0; row < store.rows(); ++row) {
    if (data::is_held_out(source.split, row, store.rows()) != source.held_out) continue;
    target.resize(store.target_length(row));
    store.copy_target(row, target);
    try {
      train::class_of(target, classes);
    } catch (const Error& error) {
      fail("{}: pair {}: {} (pairs are counted after filters; --filter.drop-empty drops those without a label)", file,
           row + 1, error.what());
    }
  }
}

std::string name_of_languages(const data::Corpus& corpus) { return corpus.languages ? corpus.languages->show() : ""; }

}  // namespace

Vocabularies make_vocabularies(const TrainingOptions& options) {
  Vocabularies made;
  if (options.fine_tunes()) {
    made = vocabularies_of_model(options.from);
  } else if (options.continues()) {
    made = {text::load_tokenizer(source_file(options)), text::load_tokenizer(target_file(options))};
  } else {
    made.source = source_vocabulary(options);
    made.target = target_vocabulary(options, made.source);
  }
  check_languages(options, made.source->language_tags());
  return made;
}

void save_vocabularies(const Vocabularies& vocabularies, const TrainingOptions& options) {
  text::save_tokenizer(*vocabularies.source, source_file(options));
  text::save_tokenizer(*vocabularies.target, target_file(options));
}

RunData::RunData(const TrainingOptions& options, const Vocabularies& vocabularies)
    : options_(options), vocabularies_(vocabularies) {
  const bool splits = options.split.by != data::SplitBy::none;
  const bool samples = options.batch.rows.sample_source > 0 || options.batch.rows.sample_target > 0;
  for (const data::Corpus& corpus : options.corpus.corpora()) {
    const data::TokenStore store = open_store(corpus, samples || splits, true);
    training_.push_back({store, corpus.weight, options.split, false, tag_of(corpus), name_of_languages(corpus)});
    check_targets(training_.back(), corpus);
    if (!splits) continue;
    validation_.push_back({store, 1, options.split, true, tag_of(corpus), name_of_languages(corpus)});
    check_targets(validation_.back(), corpus);
  }
  for (const data::Corpus& corpus : options.validation_corpora()) {
    validation_.push_back({open_store(corpus, true, false), 1, {}, false, tag_of(corpus), name_of_languages(corpus)});
    check_targets(validation_.back(), corpus);
  }
}

void RunData::check_targets(const data::BatchSource& source, const data::Corpus& corpus) const {
  if (options_.task == TrainTask::classify)
    check_labels(source, corpus, vocabularies_.target->size() - text::Vocabulary::kSpecial);
}

data::TokenStore RunData::open_store(const data::Corpus& corpus, bool keep_text, bool filtered) {
  std::string written;
  data::TokenStore store = data::open_tokens({.corpus = corpus,
                                              .reading = options_.reading,
                                              .filters = filtered ? options_.filters() : data::FilterOptions{},
                                              .source = vocabularies_.source.get(),
                                              .target = vocabularies_.target.get(),
                                              .keep_text = keep_text,
                                              .cache_folder = options_.cache},
                                             &written);
  if (!written.empty()) written_.push_back(written);
  return store;
}

void RunData::remove_written() const {
  std::error_code ignored;
  for (const std::string& path : written_) std::filesystem::remove(path, ignored);
}

std::int32_t RunData::tag_of(const data::Corpus& corpus) const {
  return vocabularies_.source->language_tags().choose(corpus.languages ? corpus.languages->target : "");
}

data::BatchOptions RunData::batches() const {
  data::BatchOptions batches = options_.batch;
  batches.plan.seed = static_cast<std::uint32_t>(mix(options_.train.seed, options_.batch.plan.seed));
  if (options_.task == TrainTask::classify) batches.rows.target_marks = false;
  return batches;
}

data::Batcher RunData::training(data::Shard shard) const {
  const PairCounts pairs = counts().training;
  check(pairs.kept > 0,
        "no sentence pair is left to train on: {}. Check the files, or relax filters (--filter.*) and limits "
        "(--batch.max-source-length, --batch.max-target-length)",
        show(pairs));
  return {training_, vocabularies_.sides(), batches(), shard};
}

std::optional<data::Batcher> RunData::validation() const {
  if (validation_.empty()) return std::nullopt;
  const PairCounts pairs = *counts().validation;
  check(pairs.kept > 0,
        "no sentence pair is left to validate on: {}. Check the files, or hold out more (--split.share)", show(pairs));
  data::BatchOptions plain = batches();
  plain.plan = {.by = data::BatchBy::sentences, .size = 32, .order = data::BatchOrder::length};
  plain.rows.mask_source = plain.rows.drop_source = plain.rows.sample_source = plain.rows.sample_target = 0;
  return data::Batcher(validation_, vocabularies_.sides(), plain);
}

std::vector<ValidationPair> RunData::validation_text(std::size_t most) const {
  std::map<std::string, std::vector<ValidationPair>> sets;  // by languages; one set without any
  for (const data::BatchSource& source : validation_) {
    std::vector<ValidationPair>& pairs = sets[source.languages];
    for (std::uint64_t row = 0; row < source.store.rows() && pairs.size() < most; ++row)
      if (data::is_held_out(source.split, row, source.store.rows()) == source.held_out)
        pairs.push_back({{std::string(source.store.source_text(row)), std::string(source.store.target_text(row))},
                         source.languages,
                         source.tag});
  }
  std::vector<ValidationPair> mixed;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t before = mixed.size();
    for (auto& [languages, pairs] : sets)
      if (i < pairs.size()) mixed.push_back(std::move(pairs[i]));
    if (mixed.size() == before) break;
  }
  return mixed;
}

Facts RunData::facts() const {
  Facts facts;
  facts.emplace_back("source vocabulary", with_commas(vocabularies_.source->size()));
  facts.emplace_back("target vocabulary", with_commas(vocabularies_.target->size()));
  if (!options_.corpus.languages.empty()) facts.emplace_back("languages", join(options_.corpus.languages, ", "));
  const DataCounts pairs = counts();
  facts.emplace_back("training data", show(pairs.training));
  add_lengths(facts, "training", training_, options_.batch.rows);
  if (!pairs.validation) return facts;
  facts.emplace_back("validation data", show(*pairs.validation));
  add_lengths(facts, "validation", validation_, options_.batch.rows);
  return facts;
}

DataCounts RunData::counts() const {
  DataCounts counts{.training = count_pairs(training_, options_.batch.rows), .validation = std::nullopt};
  if (validation_.empty()) return counts;
  PairCounts& validation = counts.validation.emplace(count_pairs(validation_, options_.batch.rows));
  // Of a corpus that is split, validation has read what training has held out.
  if (options_.split.by != data::SplitBy::none) {
    validation.read = counts.training.held_out;
    validation.held_out = 0;
  }
  return counts;
}

std::uint64_t RunData::hash() const { return hash_of(training_); }
std::uint64_t RunData::validation_hash() const { return validation_.empty() ? 0 : hash_of(validation_); }

std::uint64_t RunData::hash_of(const std::vector<data::BatchSource>& sources) const {
  const data::RowOptions& rows = options_.batch.rows;
  Hasher hasher;
  hasher.add_value(rows.max_source_length);
  hasher.add_value(rows.max_target_length);
  hasher.add_value(rows.too_long);
  for (const data::BatchSource& source : sources) {
    hasher.add_value(hash_of_rows(source));
    hasher.add_value(source.weight);
    hasher.add_value(source.tag);
  }
  return std::max<std::uint64_t>(hasher.value(), 1);
}

}  // namespace dragoman::run
