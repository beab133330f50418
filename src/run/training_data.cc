#include "run/training_data.h"

#include "base/progress.h"
#include "store/model_file.h"
#include "text/tokenizer_file.h"

namespace dragoman::run {
namespace {

enum class Side { source, target, both };

// The sentences of one side, or of both sides, of all training corpora.
class SideLines {
 public:
  SideLines(const TrainingOptions& options, Side side)
      : options_(options),
        side_(side),
        corpora_(options.corpus.corpora()),
        filters_(options.filter),
        progress_("reading for a vocabulary", 0, "pairs") {}

  bool next(std::string& line) {
    if (has_target_) {
      has_target_ = false;
      line = std::move(pair_.target);
      return true;
    }
    do {
      while (!reader_ || !reader_->next(pair_)) {
        if (opened_ == corpora_.size()) return false;
        reader_ = data::PairReader::open(corpora_[opened_++], options_.reading);
      }
    } while (!filters_.keeps(pair_));
    progress_.advance();
    has_target_ = side_ == Side::both;
    line = std::move(side_ == Side::target ? pair_.target : pair_.source);
    return true;
  }

 private:
  const TrainingOptions& options_;
  Side side_;
  std::vector<data::Corpus> corpora_;
  data::Filters filters_;
  Progress progress_;
  std::size_t opened_ = 0;
  std::unique_ptr<data::PairReader> reader_;
  data::Pair pair_;
  bool has_target_ = false;
};

std::unique_ptr<text::Tokenizer> make(const TrainingOptions& options, Side side) {
  SideLines lines(options, side);
  return make_vocabulary(options.vocabulary.made, [&](std::string& line) { return lines.next(line); });
}

// Labels are separated by spaces; each distinct label is a class.
std::unique_ptr<text::Tokenizer> make_labels(const TrainingOptions& options) {
  SideLines lines(options, Side::target);
  return text::build_words([&](std::string& line) { return lines.next(line); }, {.language = text::Language::tokenized},
                           {.min_count = 1, .size = 0, .multiple = 1});
}

std::string source_file(const TrainingOptions& options) { return options.train.output + "/source.vocab"; }
std::string target_file(const TrainingOptions& options) { return options.train.output + "/target.vocab"; }

bool is_shared(const TrainingOptions& options) {
  return options.task == TrainTask::translate && (options.vocabulary.shared || options.model.tied == models::Tie::all);
}

std::shared_ptr<const text::Tokenizer> source_vocabulary(const TrainingOptions& options) {
  if (!options.vocabulary.source.empty()) return text::load_tokenizer(options.vocabulary.source);
  return make(options, is_shared(options) ? Side::both : Side::source);
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

data::TokenStore open_store(const TrainingOptions& options, const data::Corpus& corpus,
                            const Vocabularies& vocabularies, bool keep_text, bool filtered) {
  return data::open_tokens({.corpus = corpus,
                            .reading = options.reading,
                            .filters = filtered ? options.filter : data::FilterOptions{},
                            .source = vocabularies.source.get(),
                            .target = vocabularies.target.get(),
                            .keep_text = keep_text,
                            .cache_folder = options.cache});
}

void add_lengths(Facts& facts, const std::string& name, const std::vector<data::BatchSource>& sources) {
  std::uint64_t pairs = 0, source = 0, target = 0;
  std::uint32_t longest_source = 0, longest_target = 0;
  for (const data::BatchSource& part : sources)
    for (std::uint64_t row = 0; row < part.store.rows(); ++row) {
      if (data::is_held_out(part.split, row, part.store.rows()) != part.held_out) continue;
      ++pairs;
      source += part.store.source_length(row);
      target += part.store.target_length(row);
      longest_source = std::max(longest_source, part.store.source_length(row));
      longest_target = std::max(longest_target, part.store.target_length(row));
    }
  const auto side = [&](std::uint64_t tokens, std::uint32_t longest) {
    return fmt::format("{} tokens, {:.1f} per sentence, {} at most", with_commas(static_cast<std::int64_t>(tokens)),
                       static_cast<double>(tokens) / static_cast<double>(std::max<std::uint64_t>(pairs, 1)), longest);
  };
  facts.emplace_back(name + " pairs", with_commas(static_cast<std::int64_t>(pairs)));
  facts.emplace_back(name + " source", side(source, longest_source));
  facts.emplace_back(name + " target", side(target, longest_target));
}

}  // namespace

Vocabularies make_vocabularies(const TrainingOptions& options) {
  if (options.fine_tunes()) return vocabularies_of_model(options.from);
  if (options.continues())
    return {text::load_tokenizer(source_file(options)), text::load_tokenizer(target_file(options))};
  Vocabularies made;
  made.source = source_vocabulary(options);
  made.target = target_vocabulary(options, made.source);
  return made;
}

Vocabularies open_vocabularies(const TrainingOptions& options) {
  Vocabularies made = make_vocabularies(options);
  text::save_tokenizer(*made.source, source_file(options));
  text::save_tokenizer(*made.target, target_file(options));
  return made;
}

RunData::RunData(const TrainingOptions& options, const Vocabularies& vocabularies)
    : options_(options), vocabularies_(vocabularies) {
  const bool splits = options.split.by != data::SplitBy::none;
  const bool samples = options.batch.rows.sample_source > 0 || options.batch.rows.sample_target > 0;
  for (const data::Corpus& corpus : options.corpus.corpora()) {
    const data::TokenStore store = open_store(options, corpus, vocabularies, samples || splits, true);
    training_.push_back({store, corpus.weight, options.split, false});
    if (splits) validation_.push_back({store, 1, options.split, true});
  }
  if (options.valid_source.empty()) return;
  check(!splits, "validation comes from valid-source {} or from split.by {}, not from both", options.valid_source,
        name_of(options.split.by));
  data::CorpusOptions description = options.corpus;
  description.source = {options.valid_source};
  description.target.clear();
  description.weight.clear();
  if (!options.valid_target.empty()) description.target = {options.valid_target};
  validation_.push_back({open_store(options, description.corpora()[0], vocabularies, true, false)});
}

data::BatchOptions RunData::batches() const {
  data::BatchOptions batches = options_.batch;
  batches.plan.seed = static_cast<std::uint32_t>(mix(options_.train.seed, options_.batch.plan.seed));
  if (options_.task == TrainTask::classify) batches.rows.target_marks = false;
  return batches;
}

data::Batcher RunData::training() const { return {training_, vocabularies_.sides(), batches()}; }

std::optional<data::Batcher> RunData::validation() const {
  if (validation_.empty()) return std::nullopt;
  data::BatchOptions plain = batches();
  plain.plan = {.by = data::BatchBy::sentences, .size = 32, .order = data::BatchOrder::length};
  plain.rows.mask_source = plain.rows.drop_source = plain.rows.sample_source = plain.rows.sample_target = 0;
  return data::Batcher(validation_, vocabularies_.sides(), plain);
}

std::vector<SentencePair> RunData::validation_text(std::size_t most) const {
  std::vector<SentencePair> pairs;
  for (const data::BatchSource& source : validation_)
    for (std::uint64_t row = 0; row < source.store.rows() && pairs.size() < most; ++row)
      if (data::is_held_out(source.split, row, source.store.rows()) == source.held_out)
        pairs.push_back({std::string(source.store.source_text(row)), std::string(source.store.target_text(row))});
  return pairs;
}

Facts RunData::facts() const {
  Facts facts;
  facts.emplace_back("source vocabulary", with_commas(vocabularies_.source->size()));
  facts.emplace_back("target vocabulary", with_commas(vocabularies_.target->size()));
  add_lengths(facts, "training", training_);
  if (!validation_.empty()) add_lengths(facts, "validation", validation_);
  return facts;
}

}  // namespace dragoman::run
