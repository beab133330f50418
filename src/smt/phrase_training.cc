#include <algorithm>
#include <optional>

#include "align/aligner.h"
#include "base/join.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/threads.h"
#include "data/pair_reader.h"
#include "data/words.h"
#include "smt/ngram_arpa.h"
#include "smt/phrase_system.h"

namespace dragoman::smt {
namespace {

// Lines of words separated by spaces.
struct TokenizedPairs {
  std::vector<std::string> source, target;
};

// Reads and tokenises the pairs of all corpora, block by block on all threads.
TokenizedPairs read_pairs(const std::vector<data::Corpus>& corpora, const data::ReadingOptions& reading,
                          data::Filters filters, const PhraseText& source, const PhraseText& target) {
  constexpr std::size_t kBlock = 4096;
  TokenizedPairs pairs;
  std::vector<data::Pair> block;
  Progress progress("reading", 0, "pairs");
  const auto flush = [&] {
    const std::size_t first = pairs.source.size();
    pairs.source.resize(first + block.size());
    pairs.target.resize(first + block.size());
    threads::each(static_cast<std::int64_t>(block.size()), [&](std::int64_t at) {
      const auto i = static_cast<std::size_t>(at);
      pairs.source[first + i] = join(source.split(block[i].source), " ");
      pairs.target[first + i] = join(target.split(block[i].target), " ");
    });
    progress.advance(static_cast<std::int64_t>(block.size()));
    block.clear();
  };
  data::ReadingReport read;
  for (const data::Corpus& corpus : corpora) {
    const auto reader = data::PairReader::open(corpus, reading);
    for (data::Pair pair; reader->next(pair);) {
      if (!filters.keeps(pair)) continue;
      block.push_back(std::move(pair));
      if (block.size() == kBlock) flush();
    }
    read += reader->report();
  }
  flush();
  std::vector<std::string> counts;
  for (const auto& [name, count] : data::count_pairs(read, filters))
    counts.push_back(fmt::format("{} {}", name, with_commas(static_cast<std::int64_t>(count))));
  log::info("pairs: {}", join(counts, ", "));
  return pairs;
}

void truecase(PhraseText& text, std::vector<std::string>& lines) {
  if (!text.truecases()) return;
  for (const std::string& line : lines) text.truecaser().learn(data::split_at_spaces(line));
  text.truecaser().finish();
  for (std::string& line : lines) {
    std::vector<std::string> words = data::split_at_spaces(line);
    text.truecaser().apply(words);
    line = join(words, " ");
  }
}

// Special words that occur in the text are excluded, so that they are looked up as unknown.
std::unique_ptr<text::Vocabulary> make_vocabulary(const std::vector<std::string>& lines) {
  text::WordCounts counts;
  for (const std::string& line : lines)
    for (std::string& word : data::split_at_spaces(line)) ++counts[std::move(word)];
  for (const char* mark : {"<unk>", "<s>", "</s>"}) counts.erase(mark);
  return std::make_unique<text::Vocabulary>(text::Vocabulary::from_counts(counts, 1, 0));
}

std::vector<std::uint32_t> ids_of(const std::string& line, const text::Vocabulary& vocabulary) {
  std::vector<std::uint32_t> ids;
  for (const std::string& word : data::split_at_spaces(line))
    ids.push_back(static_cast<std::uint32_t>(vocabulary.find(word)));
  return ids;
}

}  // namespace

// Runs the steps of training in order.
class PhraseTrainer {
 public:
  explicit PhraseTrainer(const PhraseSystemConfig& config) : system_(config) {}

  PhraseSystem run(const PhraseData& data) {
    system_.config_.check_consistent();
    std::optional<ArpaModel> arpa;  // read first, so that a damaged file fails before hours of training
    if (!system_.config_.read_arpa.empty()) arpa.emplace(read_arpa(system_.config_.read_arpa));
    pairs_ =
        read_pairs(data.corpora, data.reading, data::Filters(data.filter), system_.source_text_, system_.target_text_);
    check(!pairs_.source.empty(), "expected sentence pairs to train on, but the corpora are empty");
    truecase(system_.source_text_, pairs_.source);
    truecase(system_.target_text_, pairs_.target);
    system_.source_ = make_vocabulary(pairs_.source);
    system_.target_ = make_vocabulary(pairs_.target);
    log::info("{} pairs, {} source and {} target words", with_commas(static_cast<std::int64_t>(pairs_.source.size())),
              with_commas(system_.source_->words().size()), with_commas(system_.target_->words().size()));
    if (arpa) use_arpa(std::move(*arpa));
    learn_phrases();
    if (system_.config_.language_model && !arpa) learn_language_model();
    zero_unused_weights();
    if (!data.development.empty() && system_.config_.tuning.iterations > 0)
      system_.tune(data.development, data.reading);
    return std::move(system_);
  }

 private:
  // Empty and overlong pairs have no links, so no phrases are extracted from them.
  std::vector<align::Links> align() const {
    const PhraseSystemConfig& config = system_.config_;
    align::Bitext bitext({}, {}, static_cast<std::size_t>(config.max_words));
    const auto is_overlong = [&](const std::string& line) {
      return data::count_words(line) > static_cast<std::size_t>(config.max_words);
    };
    std::int64_t overlong = 0;
    for (std::size_t i = 0; i < pairs_.source.size(); ++i) {
      overlong += is_overlong(pairs_.source[i]) || is_overlong(pairs_.target[i]) ? 1 : 0;
      bitext.add(pairs_.source[i], pairs_.target[i], false);
    }
    if (overlong > 0)
      log::info("{} pairs have more than {} words (max-words) and give no phrases", with_commas(overlong),
                config.max_words);
    bitext.cut(1);
    align::Cooccurrence cooccurrence(bitext);
    align::EmTraining training(bitext, cooccurrence, config.training);
    training.run([&](const align::Iteration& iteration, const align::Directions&) {
      log::info("aligning, {} {}: log p per word {:.4f} forward, {:.4f} backward", name_of(iteration.kind),
                iteration.number,
                iteration.forward / static_cast<double>(std::max<std::size_t>(1, bitext.target().tokens())),
                iteration.backward / static_cast<double>(std::max<std::size_t>(1, bitext.source().tokens())));
    });
    const align::Aligner aligner(training, bitext);
    std::vector<align::Links> links(pairs_.source.size());
    Progress progress("linking", static_cast<std::int64_t>(links.size()), "pairs");
    threads::each(static_cast<std::int64_t>(links.size()), [&](std::int64_t at) {
      const auto i = static_cast<std::size_t>(at);
      links[i] = aligner.align(bitext.source().sentence(i), bitext.target().sentence(i), config.links);
      progress.advance();
    });
    return links;
  }

  void learn_phrases() {
    PhraseCorpus corpus;
    corpus.links = align();
    for (std::size_t i = 0; i < pairs_.source.size(); ++i) {
      corpus.source.add(ids_of(pairs_.source[i], *system_.source_));
      corpus.target.add(ids_of(pairs_.target[i], *system_.target_));
    }
    const LinkLexicon lexicon(corpus, static_cast<std::uint32_t>(system_.source_->size()),
                              static_cast<std::uint32_t>(system_.target_->size()));
    system_.table_ = count_phrases(corpus, lexicon, system_.config_.phrases);
    log::info("phrase table: {} pairs of {} source phrases, {:.1f} MiB",
              with_commas(static_cast<std::int64_t>(system_.table_.pairs())),
              with_commas(static_cast<std::int64_t>(system_.table_.source_phrases())),
              static_cast<double>(system_.table_.bytes()) / (1 << 20));
  }

  // Uses an external language model. Its words get the first target ids, so that the model treats all others as
  // unknown.
  void use_arpa(ArpaModel arpa) {
    std::vector<std::string> words = arpa.vocabulary.words();
    const std::size_t of_model = words.size(), of_text = system_.target_->words().size();
    for (const std::string& word : system_.target_->words())
      if (arpa.vocabulary.find(word) == 0) words.push_back(word);
    log::info("language model: {}, order {}; knows {} of the {} target words", system_.config_.read_arpa,
              arpa.model.order(), with_commas(of_model + of_text - words.size()), with_commas(of_text));
    system_.target_ = std::make_unique<text::Vocabulary>(std::move(words));
    system_.language_model_ = std::make_unique<NgramModel>(std::move(arpa.model));
  }

  void learn_language_model() {
    const PhraseSystemConfig& config = system_.config_;
    NgramEstimator estimates(config.ngrams, static_cast<std::uint32_t>(system_.target_->size()));
    Progress progress("language model", static_cast<std::int64_t>(pairs_.target.size()), "sentences");
    for (const std::string& line : pairs_.target) {
      if (!line.empty()) estimates.add(ids_of(line, *system_.target_));
      progress.advance();
    }
    estimates.finish();
    progress.finish();
    if (!config.write_arpa.empty()) write_arpa(config.write_arpa, estimates, *system_.target_);
    system_.language_model_ = std::make_unique<NgramModel>(NgramModel::build(estimates));
    std::string sizes;
    for (int n = 1; n <= estimates.order(); ++n)
      sizes += (n == 1 ? "" : ", ") + with_commas(static_cast<std::int64_t>(estimates.count(n)));
    log::info("language model: {} n-grams of 1 to {} words, {:.1f} MiB", sizes, estimates.order(),
              static_cast<double>(system_.language_model_->bytes()) / (1 << 20));
  }

  // Features that the settings exclude get weight zero.
  void zero_unused_weights() {
    const std::vector<Feature> used = system_.config_.features();
    for (std::size_t i = 0; i < kFeatures; ++i)
      if (std::find(used.begin(), used.end(), static_cast<Feature>(i)) == used.end()) system_.weights_[i] = 0;
  }

  PhraseSystem system_;
  TokenizedPairs pairs_;
};

PhraseSystem PhraseSystem::train(const PhraseSystemConfig& config, const PhraseData& data) {
  return PhraseTrainer(config).run(data);
}

void PhraseSystem::tune(const std::vector<data::Corpus>& development, const data::ReadingOptions& reading) {
  const TuningConfig& config = config_.tuning;
  const TokenizedPairs text = read_pairs(development, reading, data::Filters({}), source_text_, target_text_);
  std::vector<TuningPair> pairs;
  for (std::size_t i = 0; i < text.source.size(); ++i) {
    if (config.sentences > 0 && pairs.size() == static_cast<std::size_t>(config.sentences)) break;
    std::vector<std::string> source = data::split_at_spaces(text.source[i]),
                             target = data::split_at_spaces(text.target[i]);
    if (source.empty() || target.empty()) continue;
    if (source_text_.truecases()) source_text_.truecaser().apply(source);
    if (target_text_.truecases()) target_text_.truecaser().apply(target);
    pairs.push_back({std::move(source), join(target, " ")});
  }
  check(!pairs.empty(), "expected sentence pairs to tune on, but the development set is empty");
  const Tuned tuned = tune_weights(model(), config_.decoder, *source_, *target_, pairs, config_.features(), config);
  weights_ = tuned.weights;
  tuned_score_ = tuned.score;
}

}  // namespace dragoman::smt
