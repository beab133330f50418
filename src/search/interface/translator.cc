#include "dragoman/translator.h"

#include "base/options.h"
#include "base/version.h"
#include "dragoman/version.h"
#include "search/engine/text_translator.h"
#include "search/engine/translate_document.h"

namespace dragoman {

const char* version() { return DRAGOMAN_VERSION; }

Translator::Translator(const std::string& model_file, const TranslatorOptions& options)
    : Translator(std::vector<std::string>{model_file}, options) {}

Translator::Translator(const std::vector<std::string>& model_files, const TranslatorOptions& options)
    : translator_(std::make_unique<search::TextTranslator>(model_files, options)) {}

Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

std::vector<TranslationResult> Translator::translate(const std::vector<Request>& requests,
                                                     const SearchOptions& search) const {
  return translator_->translate(requests, search);
}

std::vector<std::string> Translator::translate(const std::vector<std::string>& texts,
                                               const SearchOptions& search) const {
  std::vector<Request> requests;
  for (const std::string& text : texts) requests.push_back({.text = text, .prefix = {}, .terms = {}, .banned = {}});
  std::vector<std::string> translations;
  for (TranslationResult& result : translate(requests, search))
    translations.push_back(result.translations.empty() ? "" : std::move(result.translations.front().text));
  return translations;
}

std::string Translator::translate(std::string_view text, const SearchOptions& search) const {
  return translate(std::vector<std::string>{std::string(text)}, search).front();
}

std::string Translator::translate_document(const std::string& document, const DocumentOptions& options,
                                           const SearchOptions& search) const {
  document::Format format{};
  Settings settings;
  settings("format", format, "of the document");
  settings.set("format", options.format);
  std::vector<document::Document> documents;
  documents.push_back(document::Document::parse(document, format,
                                                {.ignored = options.ignored_tags,
                                                 .splitting = options.splitting_tags,
                                                 .non_splitting = options.non_splitting_tags,
                                                 .retranslate = options.retranslate}));
  return search::translate_documents(*translator_, search::DocumentBatch(std::move(documents)), search).front();
}

std::vector<std::string> Translator::languages() const { return translator_->languages(); }

bool Translator::aligns() const { return translator_->aligns(); }

}  // namespace dragoman
