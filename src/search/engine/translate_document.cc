#include "search/engine/translate_document.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/error.h"

namespace dragoman::search {

DocumentBatch::DocumentBatch(std::vector<document::Document> documents, const std::function<void(Request&)>& constrain,
                             const std::vector<std::string>& languages)
    : documents_(std::move(documents)) {
  check(languages.empty() || languages.size() == documents_.size(), "{} documents cannot have {} languages",
        documents_.size(), languages.size());
  std::map<std::string, std::unordered_map<std::string, std::size_t>> known;  // by language and text
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    const std::string language = languages.empty() ? "" : languages[i];
    std::vector<std::size_t>& indices = request_of_.emplace_back();
    for (std::string& text : documents_[i].segments()) {
      const auto [found, is_new] = known[language].try_emplace(text, requests_.size());
      indices.push_back(found->second);
      if (!is_new) continue;
      Request& request = requests_.emplace_back();
      request.text = std::move(text);
      constrain(request);
      languages_.push_back(language);
    }
  }
}

bool DocumentBatch::has_inner_tags() const {
  return std::any_of(documents_.begin(), documents_.end(),
                     [](const document::Document& document) { return document.has_inner_tags(); });
}

std::vector<std::string> DocumentBatch::render(const std::vector<TranslationResult>& results, std::size_t rank) const {
  std::vector<std::string> rendered;
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    std::vector<document::Translated> translations;
    for (const std::size_t request : request_of_[i]) {
      const std::vector<Translation>& ranked = results[request].translations;
      document::Translated& translated = translations.emplace_back();
      if (ranked.empty()) continue;
      const Translation& chosen = ranked[std::min(rank, ranked.size() - 1)];
      translated = {chosen.text, chosen.span_links};
    }
    rendered.push_back(documents_[i].render(translations));
  }
  return rendered;
}

SearchOptions search_for_documents(const TextTranslator& translator, const DocumentBatch& documents,
                                   SearchOptions options) {
  options.alignment = documents.has_inner_tags() && translator.aligns();
  return options;
}

std::vector<std::string> translate_documents(TextTranslator& translator, const DocumentBatch& documents,
                                             const SearchOptions& options) {
  return documents.render(
      translator.translate(documents.requests(), search_for_documents(translator, documents, options)));
}

}  // namespace dragoman::search
