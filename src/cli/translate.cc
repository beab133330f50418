#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/join.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "data/line_reader.h"
#include "data/utf8.h"
#include "run/translation_stream.h"
#include "search/options.h"
#include "search/words.h"

namespace dragoman::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TranslateOptions {
  std::vector<std::string> models;
  std::string input = "-", output = "-";
  search::SearchSettings search;
  search::TranslatorSettings translator;
  bool json = false;
  std::string terms, banned, prefixes, alignments, tree;
  bool quiet = false;

  template <class V>
  void visit(V& v) {
    v("model", models, "the model file; several make an ensemble");
    v("input", input, "file of lines to translate, plain or gzip; - is stdin");
    v("output", output, "where translations go; - is stdout");
    search.visit(v);
    translator.visit(v);
    v("json", json, "print one JSON object a line with everything that is known");
    v("terms", terms, "file of lines 'source term<TAB>target term': where the first occurs, the second must appear");
    v("banned", banned, "file of words, one a line, that must not appear");
    v("prefixes", prefixes, "file with what each line's translation begins with");
    v("alignments", alignments, "file to write word alignments to, as 0-0 1-2");
    v("tree", tree, "file to write every sentence's beam to, one JSON object a line");
    v("quiet", quiet, "no progress on stderr");
  }
};

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  if (path.empty()) return lines;
  data::LineReader reader(data::open_bytes(path), data::kNoLineLimit);
  for (data::Line line; reader.next(line);) lines.emplace_back(line.text);
  return lines;
}

std::vector<std::pair<std::string, std::string>> terms_of(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> terms;
  int number = 0;
  for (const std::string& line : lines_of(path)) {
    ++number;
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    check(tab != std::string::npos && tab > 0 && tab + 1 < line.size(),
          "{}:{}: expected a source term, a tab and a target term, but got '{}'", path, number, line);
    terms.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return terms;
}

// A file to write to, or stdout; an error names it.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path), file_(path == "-" ? stdout : std::fopen(path.c_str(), "w")) {
    check(file_ != nullptr, "cannot write {}: {}", path, std::strerror(errno));
  }
  ~Output() {
    if (file_ != stdout) std::fclose(file_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void line(const std::string& text) {
    const bool written =
        std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fputc('\n', file_) == '\n';
    check(written, "cannot write {}: {}", path_, std::strerror(errno));
  }
  void flush() { check(std::fflush(file_) == 0, "cannot write {}: {}", path_, std::strerror(errno)); }

 private:
  std::string path_;
  std::FILE* file_;
};

Json as_json(const Translation& translation) {
  Json json{{"text", translation.text},
            {"score", translation.score},
            {"log_probability", translation.log_probability},
            {"tokens", translation.tokens},
            {"token_scores", translation.token_scores}};
  if (!translation.alignment.empty()) json["alignment"] = search::to_pharaoh(translation.alignment);
  if (!translation.attention.empty()) json["attention"] = translation.attention;
  return json;
}

Json as_json(const std::vector<TreeNode>& tree) {
  Json nodes = Json::array();
  for (const TreeNode& node : tree)
    nodes.push_back({{"parent", node.parent},
                     {"token", node.token},
                     {"log_probability", node.log_probability},
                     {"score", node.score},
                     {"finished", node.finished},
                     {"best", node.best}});
  return nodes;
}

// Writes what the options ask for of every line.
class Printer {
 public:
  explicit Printer(const TranslateOptions& options) : options_(options), out_(options.output) {
    if (!options.alignments.empty()) alignments_ = std::make_unique<Output>(options.alignments);
    if (!options.tree.empty()) tree_ = std::make_unique<Output>(options.tree);
  }

  void print(std::uint64_t line, const Request& request, const TranslationResult& result) {
    const std::vector<Translation>& all = result.translations;
    if (options_.json) {
      print_json(line, request, result);
    } else if (options_.search.n_best > 1) {
      for (const Translation& t : all)
        out_.line(fmt::format("{} ||| {} ||| LogProbability= {:.6f} Tokens= {} ||| {:.6f}", line - 1, t.text,
                              t.log_probability, t.tokens.size(), t.score));
    } else {
      out_.line(all.empty() ? "" : all.front().text);
    }
    if (alignments_) alignments_->line(all.empty() ? "" : search::to_pharaoh(all.front().alignment));
    if (tree_) tree_->line(Json{{"line", line}, {"source", request.text}, {"nodes", as_json(result.tree)}}.dump());
  }

  void flush() {
    out_.flush();
    if (alignments_) alignments_->flush();
    if (tree_) tree_->flush();
  }

 private:
  void print_json(std::uint64_t line, const Request& request, const TranslationResult& result) {
    Json translations = Json::array();
    for (const Translation& t : result.translations) translations.push_back(as_json(t));
    out_.line(Json{{"line", line},
                   {"source", request.text},
                   {"source_tokens", result.source_tokens},
                   {"parts", result.parts},
                   {"translations", translations}}
                  .dump());
  }

  const TranslateOptions& options_;
  Output out_;
  std::unique_ptr<Output> alignments_, tree_;
};

// Lines of the input as requests. Bytes that are not UTF-8 are replaced, and said so.
class Input {
 public:
  explicit Input(const TranslateOptions& options)
      : lines_(data::open_bytes(options.input), data::kNoLineLimit),
        terms_(terms_of(options.terms)),
        banned_(lines_of(options.banned)),
        prefixes_(lines_of(options.prefixes)),
        has_prefixes_(!options.prefixes.empty()) {}

  bool next(Request& request) {
    data::Line line;
    if (!lines_.next(line)) return false;
    request.text = line.text;
    if (const std::size_t at = data::find_invalid_utf8(line.text); at != std::string::npos) {
      log::warning("line {}: byte {} is not UTF-8; such bytes are replaced", line.number, at + 1);
      request.text = data::replace_invalid_utf8(line.text);
    }
    request.terms = terms_;
    request.banned = banned_;
    if (has_prefixes_) {
      check(line.number <= prefixes_.size(), "the input has more lines than the {} prefixes", prefixes_.size());
      request.prefix = prefixes_[static_cast<std::size_t>(line.number - 1)];
    }
    return true;
  }

 private:
  data::LineReader lines_;
  std::vector<std::pair<std::string, std::string>> terms_;
  std::vector<std::string> banned_, prefixes_;
  bool has_prefixes_;
};

int run(const Command& self, const Words& arguments) {
  return run_with<TranslateOptions>(self, arguments, [](TranslateOptions& options, const Words& words) {
    if (options.models.empty() && !words.empty()) options.models = {words[0]};
    check(!options.models.empty(), "expected a model: dragoman translate --model FILE < input > output");
    expect_words(words, options.models == words ? 1 : 0, "expected nothing but flags and one model file");
    SearchOptions& search = options.search;
    search.token_scores = search.token_scores || options.json;
    search.alignment = !options.alignments.empty() || options.json;
    search.attention = options.json;
    search.tree = !options.tree.empty();
    const auto input = std::make_shared<Input>(options);
    search::TextTranslator translator(options.models, options.translator);
    Printer printer(options);
    std::unique_ptr<Progress> progress;
    if (!options.quiet) progress = std::make_unique<Progress>("translate", 0, "lines");
    const auto stream =
        std::make_shared<run::TranslationStream>(translator, std::make_shared<const SearchOptions>(search));
    stream->run([input](Request& request) { return input->next(request); },
                [&](std::uint64_t line, const Request& request, const TranslationResult& result) {
                  if (result.parts > 1 && !options.translator.sentences)
                    log::warning("line {}: too long for the model, cut into {} parts", line, result.parts);
                  printer.print(line, request, result);
                  if (progress) progress->advance();
                },
                [&] { printer.flush(); });
    printer.flush();
    return 0;
  });
}

}  // namespace

extern const Command translate{"translate", "--model FILE", "translates lines of text", run};

}  // namespace dragoman::cli
