#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "base/log.h"
#include "base/program_files.h"
#include "pending.h"
#include "results.h"
#include "run/model_languages.h"
#include "run/ready_models.h"
#include "run/term_list.h"
#include "search/engine/options.h"
#include "search/engine/scorer.h"
#include "search/engine/text_translator.h"
#include "search/engine/translate_document.h"
#include "tokenizer.h"

namespace dragoman::python {
namespace {

// Pairs of str.
run::TermList terms_of(const py::iterable& pairs) {
  std::vector<std::pair<std::string, std::string>> terms;
  for (const py::handle pair : pairs) {
    const auto [source, target] = pair.cast<std::pair<py::object, py::object>>();
    terms.emplace_back(text_of(source, "terms"), text_of(target, "terms"));
  }
  return run::TermList(terms);
}

// The settings of a translator, by the names of the program's flags.
struct OpeningOptions {
  search::TranslatorSettings translator;
  ComputeOptions compute;
  std::string from, to;

  template <class V>
  void visit(V& v) {
    v("from", from, "source language of all texts, for a model that has to be told");
    v("to", to, "target language of all texts, for a model that translates into several");
    translator.visit(v);
    v("workers", translator.workers, "batches decoded at the same time; 0 means one per thread, or four on a GPU",
      between(0, 1024));
    compute.visit(v);
  }
  TranslatorOptions options() const {
    TranslatorOptions options = translator;
    options.device = compute.device;
    options.precision = compute.precision;
    options.threads = compute.threads;
    return options;
  }
};

// The settings of a search, and what its results contain.
struct TranslationOptions {
  search::SearchSettings search;

  template <class V>
  void visit(V& v) {
    v("from", search.from, "source language, for a model that has to be told");
    search.visit(v);
    v("token-scores", search.token_scores, "return the log probability of each token");
    v("alignment", search.alignment, "return word alignments");
    v("attention", search.attention, "return attention weights");
    v("tree", search.tree, "return all hypotheses that were ever in the beam");
    v("explain", search.explain, "explain the best translation");
    v("alternatives", search.alternatives, "likely tokens per place of an explanation",
      between(0, search::kMostAlternatives));
    v.only_if(
        "alternatives", [this] { return search.explain; }, "only explanations have alternatives");
  }
};

// What holds for all texts of a call.
struct Constraints {
  run::TermList terms;
  std::vector<std::string> banned;

  void add_to(Request& request) const {
    request.terms = terms.in(request.text);
    request.banned = banned;
  }
};

class Translator {
 public:
  Translator(const py::iterable& files, const py::dict& arguments) {
    OpeningOptions options;
    Settings settings(options);
    Arguments(arguments).apply(settings);
    files_ = paths_of(files);
    from_ = options.from;
    to_ = options.to;
    check_direction(from_, to_);
    const Unlocked unlocked;
    translator_ = std::make_unique<search::TextTranslator>(files_, options.options());
  }
  // Waits for the sentences under way; other Python threads run meanwhile. In a forked process there are no threads to
  // wait for.
  ~Translator() {
    if (process_.is_this()) {
      const Unlocked unlocked;
      translator_.reset();
    } else {
      static_cast<void>(translator_.release());
    }
  }
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  // Begins to translate texts. `prefixes` has one for each text or is empty.
  std::vector<Pending> submit(const py::iterable& texts, const py::iterable& prefixes, const py::iterable& terms,
                              const py::iterable& banned, const py::dict& arguments) {
    const Constraints constraints{terms_of(terms), texts_of(banned, "banned")};
    const std::vector<std::string> starts = texts_of(prefixes, "prefix");
    std::vector<Request> requests;
    for (std::string& text : texts_of(texts, "text")) {
      Request& request = requests.emplace_back();
      request.text = std::move(text);
      if (!starts.empty()) request.prefix = starts.at(requests.size() - 1);
    }
    return begin(std::move(requests), constraints, search_options(arguments));
  }

  // The same for sources that are tokens. `languages` has the target language of each, perhaps none, or is empty.
  std::vector<Pending> submit_tokens(const py::iterable& source_lists, const py::iterable& prefix_lists,
                                     std::vector<std::string> languages, const py::dict& arguments) {
    std::vector<std::vector<std::string>> sources = token_lists_of(source_lists, "tokens"),
                                          prefixes = token_lists_of(prefix_lists, "target_prefix");
    std::vector<Request> requests(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      requests[i].tokens = std::move(sources[i]);
      if (!prefixes.empty()) requests[i].prefix_tokens = std::move(prefixes.at(i));
      if (!languages.empty()) requests[i].to = std::move(languages.at(i));
    }
    return begin(std::move(requests), {}, search_options(arguments));
  }

  std::vector<std::string> translate_documents(const py::iterable& texts, const py::dict& document,
                                               const py::iterable& terms, const py::iterable& banned,
                                               const py::dict& arguments);
  py::list score(const std::vector<SentencePair>& pairs, const std::string& to) const;

  std::vector<std::string> languages() const { return translator_->languages(); }
  bool aligns() const { return translator_->aligns(); }
  // The tokens that a translation begins with in a model that marks it with its language, and these languages.
  std::map<std::string, std::string> target_tags() const {
    std::map<std::string, std::string> tags;
    if (neural().info().language_marks == store::LanguageMarks::target_before_source) return tags;
    const text::LanguageTags& known = neural().target().language_tags();
    for (std::size_t i = 0; i < known.ids.size(); ++i) tags[neural().target().piece(known.ids[i])] = known.languages[i];
    return tags;
  }
  // Whether sentences get BOS and EOS.
  std::pair<bool, bool> adds_marks() const { return {neural().info().source_begin, neural().info().source_end}; }
  Tokenizer vocabulary(bool source) const {
    const text::Tokenizer& tokenizer = source ? neural().source() : neural().target();
    return Tokenizer(text::deserialize_tokenizer(tokenizer.serialize()));
  }

 private:
  std::vector<Pending> begin(std::vector<Request> requests, const Constraints& constraints,
                             const SearchOptions& search);
  SearchOptions search_options(const py::dict& arguments);
  // Throws Error if the models do not know the source language; warns if they were not trained on the direction.
  void check_direction(const std::string& from, const std::string& to);
  const search::Model& neural() const {
    const search::Model* const model = translator_->model();
    check(model != nullptr, "a statistical model has neither vocabularies nor scores of given translations");
    return *model;
  }

  OwnProcess process_;
  std::unique_ptr<search::TextTranslator> translator_;
  std::vector<std::string> files_;
  std::string from_, to_;  // the languages unless a call says others
  std::set<std::pair<std::string, std::string>> checked_directions_;
};

SearchOptions Translator::search_options(const py::dict& arguments) {
  TranslationOptions options;
  Settings settings(options);
  Arguments(arguments).apply(settings);
  if (options.search.from.empty()) options.search.from = from_;
  if (options.search.to.empty()) options.search.to = to_;
  check_direction(options.search.from, options.search.to);
  return options.search;
}

void Translator::check_direction(const std::string& from, const std::string& to) {
  if (!checked_directions_.emplace(from, to).second) return;
  if (const std::string warning = run::check_direction(files_, from, to); !warning.empty()) log::warning("{}", warning);
}

std::vector<Pending> Translator::begin(std::vector<Request> requests, const Constraints& constraints,
                                       const SearchOptions& search) {
  process_.check();
  const Unlocked unlocked;
  search::check_options(search);
  const auto options = std::make_shared<const SearchOptions>(search);
  std::vector<Pending> pending;
  std::vector<search::Job> jobs;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    constraints.add_to(requests[i]);
    const Pending& one = pending.emplace_back(requests[i].text);
    jobs.push_back({std::move(requests[i]), options, i, one.answer()});
    jobs.back().cancelled = one.cancellation();
  }
  translator_->submit(std::move(jobs));
  return pending;
}

// How documents are read.
struct DocumentOptions {
  document::Format format = document::Format::text;
  document::Options options;

  template <class V>
  void visit(V& v) {
    v("format", format, "the format of the document");
    v("ignored-tags", options.ignored, "XML elements whose text is not translated");
    v("splitting-tags", options.splitting, "XML elements that end sentences");
    v("non-splitting-tags", options.non_splitting, "XML elements that do not end sentences");
    v("retranslate", options.retranslate, "translate the entries of a catalogue that have a translation as well");
    v.only_if(
        "ignored-tags splitting-tags non-splitting-tags", [this] { return format == document::Format::xml; },
        "only XML has such tags (format xml)");
    v.only_if(
        "retranslate", [this] { return format == document::Format::po; },
        "only catalogues have translations (format po)");
  }
};

std::vector<std::string> Translator::translate_documents(const py::iterable& texts, const py::dict& document,
                                                         const py::iterable& terms, const py::iterable& banned,
                                                         const py::dict& arguments) {
  DocumentOptions options;
  Settings settings(options);
  Arguments(document).apply(settings);
  const Constraints constraints{terms_of(terms), texts_of(banned, "banned")};
  const std::vector<std::string> documents = texts_of(texts, "document");
  const SearchOptions search = search_options(arguments);
  std::vector<document::Document> parsed;
  for (const std::string& text : documents)
    parsed.push_back(document::Document::parse(text, options.format, options.options));
  const search::DocumentBatch batch(std::move(parsed));
  std::vector<Pending> pending =
      begin(batch.requests(), constraints, search::search_for_documents(*translator_, batch, search));
  std::vector<TranslationResult> results;
  try {
    for (Pending& one : pending) results.push_back(one.wait());
  } catch (...) {
    for (Pending& one : pending) one.cancel();
    throw;
  }
  return batch.render(results);
}

py::list Translator::score(const std::vector<SentencePair>& pairs, const std::string& to) const {
  std::vector<search::PairScore> scores;
  in_blocks(pairs.size(), [&](std::size_t begin, std::size_t end) {
    const std::vector<SentencePair> block(pairs.begin() + std::ptrdiff_t(begin), pairs.begin() + std::ptrdiff_t(end));
    for (search::PairScore& score :
         search::score_pairs(neural(), block, {.to = to.empty() ? to_ : to, .from = from_, .first_line = begin + 1}))
      scores.push_back(std::move(score));
  });
  py::list list;
  for (const search::PairScore& score : scores) {
    ScoredPair pair;
    pair.log_probability = score.sum();
    for (const std::int32_t id : score.target) pair.tokens.push_back(neural().target().piece(id));
    pair.token_scores.assign(score.log_probabilities.begin(), score.log_probabilities.end());
    list.append(to_python(pair));
  }
  return list;
}

std::vector<SentencePair> token_pairs(std::vector<std::vector<std::string>> sources,
                                      std::vector<std::vector<std::string>> targets) {
  check(sources.size() == targets.size(), "{} sources but {} targets", sources.size(), targets.size());
  std::vector<SentencePair> pairs(sources.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].source_tokens = std::move(sources[i]);
    pairs[i].target_tokens = std::move(targets[i]);
  }
  return pairs;
}

}  // namespace

void define_translator(py::module_& module) {
  py::class_<Pending>(module, "Pending")
      .def("done", &Pending::done)
      .def("cancel", &Pending::cancel)
      .def("text",
           [](Pending& self) {
             const TranslationResult& result = self.wait();
             return as_str(result.translations.empty() ? "" : result.translations.front().text);
           })
      .def("result", [](Pending& self) {
        const TranslationResult& result = self.wait();
        Request request;
        request.text = self.text();
        return to_python(request, result);
      });
  py::class_<Translator>(module, "Translator")
      .def(py::init<const py::iterable&, const py::dict&>(), py::arg("models"), py::arg("options"))
      .def("submit", &Translator::submit, py::arg("texts"), py::arg("prefixes"), py::arg("terms"), py::arg("banned"),
           py::arg("options"))
      .def("submit_tokens", &Translator::submit_tokens, py::arg("sources"), py::arg("prefixes"), py::arg("languages"),
           py::arg("options"))
      .def("translate_documents", &Translator::translate_documents, py::arg("texts"), py::arg("document"),
           py::arg("terms"), py::arg("banned"), py::arg("options"))
      .def(
          "score_tokens",
          [](const Translator& self, const py::iterable& sources, const py::iterable& targets, const std::string& to) {
            return self.score(token_pairs(token_lists_of(sources, "source"), token_lists_of(targets, "target")), to);
          },
          py::arg("sources"), py::arg("targets"), py::arg("to"))
      .def_property_readonly("languages", &Translator::languages)
      .def_property_readonly("aligns", &Translator::aligns)
      .def_property_readonly("target_tags", &Translator::target_tags)
      .def_property_readonly("adds_marks", &Translator::adds_marks)
      .def("vocabulary", &Translator::vocabulary, py::arg("source"));
  // The file of the model that comes with the package, whose files are in the folder `package`, or with the program.
  module.def(
      "ready_model",
      [](const py::object& package, const std::string& from, const std::string& to) {
        const std::string folder = path_of(package);
        std::vector<std::string> folders = {folder + "/models"};
        std::erase_if(folders, [](const std::string& path) { return !std::filesystem::is_directory(path); });
        for (const std::string& program : {folder + "/_core", this_program()})
          for (std::string& found : program_folders("models", program)) folders.push_back(std::move(found));
        return as_str(run::ready_model(from, to, folders).file);
      },
      py::arg("package"), py::arg("from_"), py::arg("to"));
  module.def("opening_options", describe<OpeningOptions>);
  module.def("search_options", describe<TranslationOptions>);
  module.def("document_options", describe<DocumentOptions>);
}

}  // namespace dragoman::python
