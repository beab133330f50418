#include "serve/text_task.h"

#include <algorithm>
#include <optional>

#include "base/join.h"
#include "base/quote.h"
#include "data/utf8.h"
#include "search/engine/translate_document.h"
#include "serve/term_collector.h"
#include "text/language_codes.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kMostTaskGlossaries = 10;

// The texts of a task: those to translate as documents, and those that are in the target language already.
class Texts {
 public:
  explicit Texts(TextTask& task) {
    std::vector<document::Document> documents;
    std::vector<std::string> languages;
    task.parsing.target = task.target;
    for (TextTask::Text& text : task.texts) {
      const std::string& source = text.source.language;
      if (source == task.target) {
        unchanged_.push_back(std::move(text.text));
        continue;
      }
      unchanged_.emplace_back();
      task.parsing.language = text::language_of(source);
      documents.push_back(document::Document::parse(std::move(text.text), task.format, task.parsing));
      languages.push_back(source);
    }
    batch_.emplace(
        std::move(documents), [](Request&) {}, languages);
  }

  const search::DocumentBatch& batch() const { return *batch_; }

  std::vector<TranslatedText> put_together(const Service::Results& results, int alternatives) const {
    std::vector<TranslatedText> all;
    for (const std::optional<std::string>& text : unchanged_) all.push_back({text.value_or(""), {}});
    for (std::size_t rank = 0; rank <= static_cast<std::size_t>(alternatives); ++rank) {
      const std::vector<std::string> rendered = batch_->render(results, rank);
      for (std::size_t i = 0, next = 0; i < all.size(); ++i)
        if (!unchanged_[i]) add(rendered[next++], rank, all[i]);
    }
    return all;
  }

 private:
  static void add(const std::string& text, std::size_t rank, TranslatedText& translated) {
    std::vector<std::string>& others = translated.alternatives;
    if (rank == 0)
      translated.text = text;
    else if (text != translated.text && std::find(others.begin(), others.end(), text) == others.end())
      others.push_back(text);
  }

  std::vector<std::optional<std::string>> unchanged_;  // per text
  std::optional<search::DocumentBatch> batch_;         // of the others
};

SearchOptions search_for(const Backend& backend, const TextTask& task, const search::DocumentBatch& batch) {
  SearchOptions search = backend.search;
  search.n_best = task.alternatives + 1;
  search.beam = std::max(search.beam, search.n_best);
  search.alignment = batch.has_inner_tags();
  return search;
}

// What a reader sees of a text, to detect its language.
std::string words_of(const std::string& text, document::Format format) {
  if (format == document::Format::text) return text;
  return join(document::Document::parse(text, format).segments(), " ");
}

// The glossaries that a request names, each once.
std::vector<std::string> glossary_ids(const Fields& fields) {
  std::vector<std::string> ids;
  for (const char* const key : {"glossary_id", "glossary_ids"}) {
    if (!fields.has(key)) continue;
    for (const std::string& id : fields.texts(key)) {
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
      if (ids.size() == kMostTaskGlossaries)
        throw HttpError(400, fmt::format("Invalid request: expected at most {} glossaries", kMostTaskGlossaries));
      ids.push_back(id);
    }
  }
  return ids;
}

}  // namespace

TextTask make_task(const Backend& backend, Call& call, AskedTexts asked) {
  const std::size_t characters = check_texts(backend, asked.texts);
  const auto models = backend.service.models();
  TextTask task;
  task.format = asked.format;
  task.target = require_language(asked.target, models->targets());
  const std::vector<std::string> sources = models->sources_of(task.target);
  const std::string source = asked.source.empty() ? "" : require_language(asked.source, models->sources());
  for (std::string& text : asked.texts) {
    const DetectedLanguage language = source.empty() ? detect_source(words_of(text, asked.format), sources, task.target)
                                                     : DetectedLanguage{source, 100};
    task.texts.push_back({std::move(text), language});
  }
  const auto first = std::find_if(task.texts.begin(), task.texts.end(),
                                  [&](const TextTask::Text& text) { return text.source.language != task.target; });
  if (first != task.texts.end()) task.terms = find_terms(backend, call, {first->source.language, task.target});
  backend.metrics.count_characters(call.caller().key, characters);
  return task;
}

void translate_texts(Backend& backend, const std::shared_ptr<Call>& call, TextTask task,
                     std::function<void(std::vector<TranslatedText>)> then) {
  const auto texts = std::make_shared<const Texts>(task);
  const search::DocumentBatch& batch = texts->batch();
  SentenceTask sentences;
  sentences.target = task.target;
  sentences.terms = task.terms;
  sentences.caller = call->caller();
  sentences.fate = call->fate();
  for (std::size_t i = 0; i < batch.requests().size(); ++i)
    sentences.sentences.push_back({batch.requests()[i].text, batch.language(i)});
  sentences.search = search_for(backend, task, batch);
  sentences.weight = weight_of(backend, sentences.search);
  backend.service.translate(sentences, [call, texts, then = std::move(then), alternatives = task.alternatives](
                                           const Service::Results& results, const std::exception_ptr& error) {
    call->attempt([&] {
      if (error) std::rethrow_exception(error);
      then(texts->put_together(results, alternatives));
    });
  });
}

std::size_t check_texts(const Backend& backend, const std::vector<std::string>& texts, std::size_t most_characters) {
  const auto most_texts = static_cast<std::size_t>(backend.options.max_texts);
  most_characters = std::min(most_characters, static_cast<std::size_t>(backend.options.max_characters));
  if (texts.size() > most_texts)
    throw HttpError(400, fmt::format("Invalid request: {} texts exceed the limit of {}", texts.size(), most_texts));
  std::size_t characters = 0;
  for (const std::string& text : texts) characters += data::count_characters(text);
  if (characters > most_characters)
    throw HttpError(
        400, fmt::format("Invalid request: {} characters exceed the text limit of {}", characters, most_characters));
  return characters;
}

// An explanation takes one more pass over the translation.
std::size_t weight_of(const Backend& backend, const SearchOptions& search) {
  const int usual = backend.search.beam;
  const int beams = (search.beam + usual - 1) / usual;
  return static_cast<std::size_t>(search.explain ? beams + 1 : beams);
}

std::string require_language(const std::string& asked, const std::vector<std::string>& known) {
  std::string language = text::find_language(asked, known);
  if (language.empty())
    throw HttpError(400, fmt::format("{} is not supported; there are: {}", excerpt(asked), join(known, ", ")));
  return language;
}

std::shared_ptr<const run::TermList> find_terms(const Backend& backend, Call& call, const text::LanguagePair& pair) {
  const Fields& fields = call.fields();
  const std::vector<std::string> ids = glossary_ids(fields);
  TermCollector terms;
  for (const std::string& id : ids) {
    const Glossary glossary = backend.glossaries.get(call.caller().owner, id);
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
