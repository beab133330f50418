#include "serve/text_task.h"

#include <algorithm>
#include <span>

#include "data/utf8.h"
#include "serve/languages.h"
#include "serve/term_collector.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kMostGlossaries = 10;

using Documents = std::vector<document::Document>;

// The document with the i-th best translation of every sentence, or the last one where there are fewer. `results` are
// those of its own sentences.
std::string render(const document::Document& document, std::span<const TranslationResult> results, std::size_t rank) {
  std::vector<document::Translated> translated;
  for (const TranslationResult& result : results) {
    const std::vector<Translation>& all = result.translations;
    const Translation best = all.empty() ? Translation() : all[std::min(rank, all.size() - 1)];
    translated.push_back({best.text, best.span_links});
  }
  return document.render(translated);
}

TranslatedText put_together(const document::Document& document, std::span<const TranslationResult> results,
                            int alternatives) {
  TranslatedText translated;
  translated.text = render(document, results, 0);
  std::vector<std::string>& others = translated.alternatives;
  for (std::size_t rank = 1; rank <= static_cast<std::size_t>(alternatives); ++rank) {
    std::string other = render(document, results, rank);
    if (other != translated.text && std::find(others.begin(), others.end(), other) == others.end())
      others.push_back(std::move(other));
  }
  return translated;
}

SearchOptions search_for(const Backend& backend, const TextTask& task, const Documents& documents) {
  SearchOptions search = backend.search;
  search.n_best = task.alternatives + 1;
  search.beam = std::max(search.beam, search.n_best);
  search.alignment = std::any_of(documents.begin(), documents.end(), [](const auto& d) { return d.has_inner_tags(); });
  return search;
}

// The glossaries that a request names, each once.
std::vector<std::string> glossary_ids(const Fields& fields) {
  std::vector<std::string> ids;
  for (const char* const key : {"glossary_id", "glossary_ids"}) {
    if (!fields.has(key)) continue;
    for (const std::string& id : fields.texts(key)) {
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
      if (ids.size() == kMostGlossaries)
        throw HttpError(400, fmt::format("Invalid request: expected at most {} glossaries", kMostGlossaries));
      ids.push_back(id);
    }
  }
  return ids;
}

}  // namespace

void translate_texts(Backend& backend, const std::shared_ptr<Call>& call, TextTask task,
                     std::function<void(std::vector<TranslatedText>)> then) {
  const auto documents = std::make_shared<Documents>();
  const auto counts = std::make_shared<std::vector<std::size_t>>();
  SentenceTask sentences;
  sentences.target = task.target;
  sentences.terms = task.terms;
  sentences.cancelled = call->cancelled();
  for (TextTask::Text& text : task.texts) {
    task.parsing.language = text::language_of(text.source);
    documents->push_back(document::Document::parse(std::move(text.text), task.format, task.parsing));
    std::vector<std::string> segments = documents->back().segments();
    counts->push_back(segments.size());
    for (std::string& segment : segments) sentences.sentences.push_back({std::move(segment), text.source});
  }
  sentences.search = search_for(backend, task, *documents);
  sentences.weight = weight_of(backend, sentences.search);
  backend.service.translate(sentences,
                            [call, documents, counts, then = std::move(then), alternatives = task.alternatives](
                                const Service::Results& results, const std::exception_ptr& error) {
                              call->attempt([&] {
                                if (error) std::rethrow_exception(error);
                                std::vector<TranslatedText> translated;
                                std::size_t begin = 0;
                                for (std::size_t i = 0; i < documents->size(); ++i) {
                                  const auto own = std::span(results).subspan(begin, (*counts)[i]);
                                  translated.push_back(put_together((*documents)[i], own, alternatives));
                                  begin += own.size();
                                }
                                then(std::move(translated));
                              });
                            });
}

std::size_t check_texts(const RequestLimits& limits, const std::vector<std::string>& texts) {
  if (texts.size() > limits.texts)
    throw HttpError(400, fmt::format("Invalid request: {} texts exceed the limit of {}", texts.size(), limits.texts));
  std::size_t characters = 0;
  for (const std::string& text : texts) characters += data::count_characters(text);
  if (characters > limits.characters)
    throw HttpError(
        400, fmt::format("Invalid request: {} characters exceed the text limit of {}", characters, limits.characters));
  return characters;
}

// An explanation takes one more pass over the translation.
std::size_t weight_of(const Backend& backend, const SearchOptions& search) {
  const int usual = backend.search.beam;
  const int beams = (search.beam + usual - 1) / usual;
  return static_cast<std::size_t>(search.explain ? beams + 1 : beams);
}

std::string require_language(const std::string& asked, const std::vector<std::string>& known) {
  std::string language = find_language(asked, known);
  if (language.empty()) throw HttpError(400, asked.substr(0, 20) + " is not supported");
  return language;
}

std::shared_ptr<const run::TermList> find_terms(const Backend& backend, Call& call, const text::LanguagePair& pair) {
  const Fields& fields = call.fields();
  const std::vector<std::string> ids = glossary_ids(fields);
  TermCollector terms;
  for (const std::string& id : ids) {
    const Glossary glossary = backend.glossaries.get(call.client(), id);
    const Glossary::Dictionary* const dictionary = glossary.find(pair);
    if (dictionary == nullptr) throw HttpError(400, fmt::format("the glossary has no dictionary for {}", pair.show()));
    if (ids.size() == 1 && !fields.has("terms")) return dictionary->terms;
    terms.add(*dictionary->terms);
  }
  const nlohmann::json& own = fields.value("terms");
  if (!own.is_null() && !own.is_object())
    throw HttpError(400, "Invalid request: terms must be an object of source and target terms");
  for (const auto& [source, target] : own.items()) {
    if (!target.is_string()) throw HttpError(400, "Invalid request: terms must be texts");
    terms.add(source, target.get_ref<const std::string&>());
  }
  return terms.empty() ? nullptr : std::move(terms).finish();
}

}  // namespace dragoman::serve
