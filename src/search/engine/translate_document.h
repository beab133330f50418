#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/document.h"
#include "search/engine/text_translator.h"

namespace dragoman::search {

// Documents to translate together: their segments as requests, each text once, and the documents with the results.
class DocumentBatch {
 public:
  // `constrain` completes each request, for instance with terms and a target language. `languages` are those of the
  // documents, if they differ: the same text in two languages is two requests.
  explicit DocumentBatch(
      std::vector<document::Document> documents, const std::function<void(Request&)>& constrain = [](Request&) {},
      const std::vector<std::string>& languages = {});

  const std::vector<Request>& requests() const { return requests_; }
  // The language of a request, by its index; empty if none was given.
  const std::string& language(std::size_t request) const { return languages_[request]; }
  // Whether tags have to be placed, which needs SearchOptions::alignment to be done well.
  bool has_inner_tags() const;
  // The documents, with the translations of this rank: 0 is the best one. A request with fewer translations gives its
  // last one. `results` are those of requests().
  std::vector<std::string> render(const std::vector<TranslationResult>& results, std::size_t rank = 0) const;

 private:
  std::vector<document::Document> documents_;
  std::vector<Request> requests_;
  std::vector<std::string> languages_;                // per request
  std::vector<std::vector<std::size_t>> request_of_;  // per document and segment
};

// The options with alignments, where the translator has them and the documents need them.
SearchOptions search_for_documents(const TextTranslator& translator, const DocumentBatch& documents,
                                   SearchOptions options);

// Translates all segments at once.
std::vector<std::string> translate_documents(TextTranslator& translator, const DocumentBatch& documents,
                                             const SearchOptions& options);

}  // namespace dragoman::search
