#include <sys/stat.h>

#include "base/counted.h"
#include "base/log.h"
#include "cli/command.h"
#include "run/corpus_lines.h"
#include "run/make_vocabulary.h"
#include "run/output_files.h"
#include "text/tokenizer_file.h"

namespace dragoman::cli {
namespace {

enum class Show { pieces, ids, text };

}  // namespace
}  // namespace dragoman::cli

namespace dragoman {
template <>
struct EnumNames<cli::Show> {
  static constexpr std::pair<cli::Show, const char*> list[] = {
      {cli::Show::pieces, "pieces"}, {cli::Show::ids, "ids"}, {cli::Show::text, "text"}};
};
}  // namespace dragoman

namespace dragoman::cli {
namespace {

struct VocabOptions {
  run::VocabularyOptions vocabulary;
  std::string output;
  std::string use;
  Show show = Show::pieces;

  template <class V>
  void visit(V& v) {
    v.section("Vocabulary");
    vocabulary.visit(v);
    v.section("Input and output");
    v("output", output, "the file to write");
    v("use", use, "apply this vocabulary to the corpora instead of building one");
    v("show", show, "what to print per line with --use");
    v.only_if(
        "type size min-count multiple language normalize lower expand-contractions joiners character-coverage "
        "byte-fallback sample seed encoder merges output",
        [this] { return use.empty(); }, "--use applies a vocabulary that exists");
    v.only_if(
        "show", [this] { return !use.empty(); }, "it needs --use, the vocabulary to apply");
  }
};

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void print_coverage(const text::Tokenizer& tokenizer, const text::EncodingStatistics& coverage) {
  fmt::print("vocabulary  {} ids, {} of them used\n", with_commas(tokenizer.size()), with_commas(coverage.used));
  fmt::print("corpus      {}, {}, {}\n", counted(coverage.lines, "line"), counted(coverage.words, "word"),
             counted(coverage.bytes, "byte"));
  fmt::print("ids         {}: {:.2f} per word, {:.1f} per line, {} in the longest line\n", with_commas(coverage.ids),
             share(coverage.ids, coverage.words), share(coverage.ids, coverage.lines), with_commas(coverage.longest));
  fmt::print("unknown     {} ({:.3f} %)\n", with_commas(coverage.unknown), 100 * share(coverage.unknown, coverage.ids));
  fmt::print("coverage    {:.3f} %\n", 100 - 100 * share(coverage.unknown, coverage.ids));
}

int make(const VocabOptions& options, const std::vector<std::string>& corpora) {
  check(!options.output.empty(), "expected --output FILE, the vocabulary file to write");
  for (const std::string& path : corpora) {
    struct stat status {};
    check(path != "-" && (stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)),
          "{}: corpora are read twice, to learn and to measure, so pipes and stdin cannot be used", path);
  }
  run::check_output_files(run::named_files("CORPUS", corpora), {{"--output", options.output}});
  const std::unique_ptr<text::Tokenizer> tokenizer = run::make_vocabulary(options.vocabulary, corpora);
  text::save_tokenizer(*tokenizer, options.output);
  log::info("wrote {}", options.output);
  run::CorpusLines lines(corpora, "measuring", false);
  print_coverage(*tokenizer, text::measure_encoding(*tokenizer, lines.source()));
  return 0;
}

std::string shown(const text::Tokenizer& tokenizer, std::span<const std::int32_t> ids, Show show) {
  if (show == Show::text) return tokenizer.decode(ids);
  std::string line;
  for (const std::int32_t id : ids) {
    if (!line.empty()) line += ' ';
    line += show == Show::ids ? std::to_string(id) : tokenizer.piece(id);
  }
  return line;
}

int apply(const VocabOptions& options, std::vector<std::string> corpora) {
  const std::unique_ptr<text::Tokenizer> tokenizer = text::load_tokenizer(options.use);
  if (corpora.empty()) corpora.push_back("-");
  run::CorpusLines lines(std::move(corpora), "reading");
  std::vector<std::int32_t> ids;
  for (std::string line; lines.next(line);) {
    ids.clear();
    tokenizer->encode(line, ids);
    line = shown(*tokenizer, ids, options.show) + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  return 0;
}

int run_vocab(const Command& self, const std::vector<std::string>& arguments) {
  return run_with<VocabOptions>(self, arguments,
                                [](const VocabOptions& options, const std::vector<std::string>& corpora) {
                                  return options.use.empty() ? make(options, corpora) : apply(options, corpora);
                                });
}

}  // namespace

extern const Command vocab{"vocab",
                           "CORPUS... --output FILE",
                           "builds a vocabulary from corpora, or applies one",
                           run_vocab,
                           describe_options<VocabOptions>,
                           "dragoman vocab train.de.gz train.en.gz --type unigram --size 8000 --output joint.tok\n"
                           "echo \"Where is the station?\" | dragoman vocab --use joint.tok --show pieces -"};

}  // namespace dragoman::cli
