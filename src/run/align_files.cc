#include "run/align_files.h"

#include <algorithm>

#include "align/lexicon.h"
#include "align/picture.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/threads.h"
#include "report/word_matrix.h"
#include "run/output_files.h"

namespace dragoman::run {
namespace {

using align::Aligner;
using align::Bitext;
using Words = std::vector<std::string>;

// Calls body(source, target) for every line of the files. Lines that the reader skips become empty pairs, so that line
// numbers stay aligned.
template <class Body>
void for_each_pair(const std::string& source, const std::string& target, const data::ReadingOptions& reading,
                   Body body) {
  const auto reader = data::PairReader::open({.source = source, .target = target}, reading);
  std::uint64_t line = 1;
  for (data::Pair pair; reader->next(pair); ++line) {
    for (; line < pair.line; ++line) body("", "");
    body(pair.source, pair.target);
  }
}

// Adds a corpus in blocks: all threads split lines into words; one thread assigns word ids.
class PairAdder {
 public:
  PairAdder(Bitext& bitext, bool plain) : bitext_(bitext), plain_(plain) {}

  void add(const std::string& source, const std::string& target) {
    lines_.emplace_back(source, target);
    if (lines_.size() == kBlock) flush();
  }
  void flush() {
    std::vector<std::pair<Words, Words>> words(lines_.size());
    threads::each(static_cast<std::int64_t>(lines_.size()), [&](std::int64_t at) {
      words[at] = {bitext_.source().side().words(lines_[at].first, plain_),
                   bitext_.target().side().words(lines_[at].second, plain_)};
    });
    for (const auto& [source, target] : words) bitext_.add(source, target);
    progress_.advance(static_cast<std::int64_t>(lines_.size()));
    lines_.clear();
  }

 private:
  static constexpr std::size_t kBlock = 4096;
  Bitext& bitext_;
  bool plain_;
  Progress progress_{"reading", 0, "pairs"};
  std::vector<std::pair<std::string, std::string>> lines_;
};

void add_pairs(const std::string& source, const std::string& target, bool plain, const AlignmentOptions& options,
               Bitext& bitext) {
  PairAdder adder(bitext, plain);
  for_each_pair(source, target, options.reading, [&](const std::string& s, const std::string& t) { adder.add(s, t); });
  adder.flush();
}

Bitext read_text(const AlignmentOptions& options, const std::string& source, const std::string& target) {
  Bitext bitext(options.source, options.target, static_cast<std::size_t>(options.max_words));
  add_pairs(source, target, options.tokenize, options, bitext);
  for (std::size_t i = 0; i < options.train_source.size(); ++i)
    add_pairs(options.train_source[i], options.train_target[i], options.train_tokenize, options, bitext);
  bitext.cut(options.min_count);
  if (bitext.one_sided() > 0) log::warning("one side is empty in {}", counted(bitext.one_sided(), "pair"));
  if (bitext.too_long() > 0)
    log::warning("left out: {} with more than {} words on a side", counted(bitext.too_long(), "pair"),
                 options.max_words);
  check(bitext.source().tokens() > 0, "{}, {}: no pair has words on both sides, so nothing can be learned", source,
        target);
  return bitext;
}

void report(const align::Iteration& iteration, const align::Directions& directions, const Bitext& bitext) {
  log::info("{} {}: log p per word {:.4f} forward, {:.4f} backward ({})", name_of(iteration.kind), iteration.number,
            iteration.forward / static_cast<double>(bitext.target().tokens()),
            iteration.backward / static_cast<double>(bitext.source().tokens()), directions.forward->describe());
}

Aligner learn(const AlignmentOptions& options, const std::string& source, const std::string& target) {
  const Bitext bitext = read_text(options, source, target);
  align::Cooccurrence cooccurrence(bitext);
  log::info("{}, {} and {} words, {} and {} types, {} pairs of types", counted(bitext.size(), "pair"),
            with_commas(bitext.source().tokens()), with_commas(bitext.target().tokens()),
            with_commas(bitext.source().words().size()), with_commas(bitext.target().words().size()),
            with_commas(cooccurrence.size()));
  align::EmTraining training(bitext, cooccurrence, options.train);
  training.run([&](const align::Iteration& iteration, const align::Directions& directions) {
    report(iteration, directions, bitext);
  });
  return Aligner(training, bitext);
}

// A pair with its links and the line to print.
struct AlignedPair {
  Words source, target;
  align::Links links;
  std::string printed;
  bool too_long = false;
};

// Aligns pairs in blocks and prints them in order.
class PairAligner {
 public:
  PairAligner(const Aligner& aligner, const AlignmentOptions& options,
              const std::function<void(const std::string&)>& print)
      : aligner_(aligner), options_(options), print_(print) {}

  void add(const std::string& source, const std::string& target) {
    lines_.emplace_back(source, target);
    if (lines_.size() == kBlock) flush();
  }

  void finish() {
    flush();
    progress_.finish();
    if (too_long_ > 0)
      log::warning("{} with more than {} words on a side got no links", counted(too_long_, "pair"), options_.max_words);
    if (!options_.svg.empty()) {
      check(static_cast<std::size_t>(options_.line) <= printed_, "--line {}: the text has {}", options_.line,
            counted(printed_, "pair"));
      check(!svg_.empty(), "--line {}: a side of the pair is empty or too long, so there is nothing to draw",
            options_.line);
      write(options_.svg, svg_);
    }
    if (options_.lexicon.empty() && options_.lexicon_text.empty()) return;
    const align::Lexicon lexicon = lexicon_.finish(static_cast<std::size_t>(options_.lexicon_best));
    if (!options_.lexicon.empty()) lexicon.save_binary(options_.lexicon);
    if (!options_.lexicon_text.empty()) lexicon.save_text(options_.lexicon_text);
  }

 private:
  static constexpr std::size_t kBlock = 4096;

  static void write(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
  }

  void flush() {
    std::vector<AlignedPair> pairs(lines_.size());
    threads::each(static_cast<std::int64_t>(pairs.size()), [&](std::int64_t at) { pairs[at] = align_line(at); });
    for (const AlignedPair& pair : pairs) {
      print_(pair.printed);
      too_long_ += pair.too_long;
      if (!options_.lexicon.empty() || !options_.lexicon_text.empty())
        lexicon_.add(pair.source, pair.target, pair.links);
    }
    printed_ += pairs.size();
    progress_.advance(static_cast<std::int64_t>(pairs.size()));
    lines_.clear();
  }

  AlignedPair align_line(std::int64_t at) {
    AlignedPair pair;
    pair.source = aligner_.source_side().words(lines_[at].first, options_.tokenize);
    pair.target = aligner_.target_side().words(lines_[at].second, options_.tokenize);
    const auto limit = static_cast<std::size_t>(options_.max_words);
    pair.too_long = std::max(pair.source.size(), pair.target.size()) > limit;
    if (pair.source.empty() || pair.target.empty() || pair.too_long) return pair;
    const align::PairPosteriors posteriors =
        aligner_.posteriors(aligner_.source_ids(pair.source), aligner_.target_ids(pair.target));
    pair.links = align::decode(posteriors, options_.decode);
    pair.printed = options_.show         ? align::draw_text(pair.source, pair.target, pair.links, posteriors)
                   : options_.posteriors ? with_posteriors(pair.links, posteriors)
                                         : align::to_pharaoh(pair.links);
    if (printed_ + static_cast<std::size_t>(at) + 1 == static_cast<std::size_t>(options_.line) && !options_.svg.empty())
      svg_ = draw_svg(pair, posteriors);
    return pair;
  }

  static std::string draw_svg(const AlignedPair& pair, const align::PairPosteriors& posteriors) {
    report::WordMatrix matrix{.rows = pair.source, .columns = pair.target, .weights = {}, .framed = {}};
    for (int i = 0; i < std::ssize(pair.source); ++i)
      for (int j = 0; j < std::ssize(pair.target); ++j) {
        matrix.weights.push_back(posteriors.both(i, j));
        matrix.framed.push_back(align::has_link(pair.links, i, j));
      }
    return report::draw_file(matrix);
  }

  static std::string with_posteriors(const align::Links& links, const align::PairPosteriors& posteriors) {
    std::string text;
    for (const align::Link& link : links)
      text += fmt::format("{}{}-{}:{:.4f}", text.empty() ? "" : " ", link.source, link.target,
                          posteriors.both(link.source, link.target));
    return text;
  }

  const Aligner& aligner_;
  const AlignmentOptions& options_;
  const std::function<void(const std::string&)>& print_;
  Progress progress_{"aligning", 0, "pairs"};
  std::vector<std::pair<std::string, std::string>> lines_;
  align::LexiconBuilder lexicon_;
  std::string svg_;
  std::size_t printed_ = 0, too_long_ = 0;
};

}  // namespace

void align_files(const AlignmentOptions& options, const std::string& source, const std::string& target,
                 const std::function<void(const std::string& line)>& print) {
  check(options.train_source.size() == options.train_target.size(), "--train-source names {} but --train-target {}",
        counted(options.train_source.size(), "file"), options.train_target.size());
  std::vector<NamedFile> inputs = {{"SOURCE", source}, {"TARGET", target}, {"--model", options.model}};
  for (const std::string& path : options.train_source) inputs.push_back({"--train-source", path});
  for (const std::string& path : options.train_target) inputs.push_back({"--train-target", path});
  check_output_files(inputs, {{"--save", options.save},
                              {"--svg", options.svg},
                              {"--lexicon", options.lexicon},
                              {"--lexicon-text", options.lexicon_text}});
  const bool from_pipe = source == "-" || target == "-";
  check(!options.model.empty() || !from_pipe,
        "learning reads SOURCE and TARGET twice, so neither can be '-'; with --model they are read once");
  const Aligner aligner = options.model.empty() ? learn(options, source, target) : Aligner::load(options.model);
  if (!options.save.empty()) aligner.save(options.save);
  PairAligner pairs(aligner, options, print);
  for_each_pair(source, target, options.reading,
                [&](const std::string& left, const std::string& right) { pairs.add(left, right); });
  pairs.finish();
}

}  // namespace dragoman::run
