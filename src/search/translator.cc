#include "dragoman/translator.h"

#include <future>

#include "search/text_translator.h"

namespace dragoman {

class Translator::Implementation {
 public:
  Implementation(const std::vector<std::string>& model_files, const TranslatorOptions& options)
      : translator_(model_files, options) {}

  std::vector<TranslationResult> translate(const std::vector<Request>& requests, const SearchOptions& search) {
    std::vector<std::promise<TranslationResult>> promises(requests.size());
    const auto options = std::make_shared<const SearchOptions>(search);
    std::vector<search::Job> jobs;
    for (std::size_t i = 0; i < requests.size(); ++i)
      jobs.push_back(
          {requests[i], options, i, [&promise = promises[i]](TranslationResult result, std::exception_ptr error) {
             error ? promise.set_exception(error) : promise.set_value(std::move(result));
           }});
    translator_.submit(std::move(jobs));
    // All are waited for before the first error is thrown: they write to this function's memory.
    std::vector<std::future<TranslationResult>> futures;
    for (auto& promise : promises) futures.push_back(promise.get_future());
    for (const auto& future : futures) future.wait();
    std::vector<TranslationResult> results;
    for (auto& future : futures) results.push_back(future.get());
    return results;
  }

 private:
  search::TextTranslator translator_;
};

Translator::Translator(const std::string& model_file, const TranslatorOptions& options)
    : Translator(std::vector<std::string>{model_file}, options) {}

Translator::Translator(const std::vector<std::string>& model_files, const TranslatorOptions& options)
    : implementation_(std::make_unique<Implementation>(model_files, options)) {}

Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

std::vector<TranslationResult> Translator::translate(const std::vector<Request>& requests,
                                                     const SearchOptions& search) const {
  return implementation_->translate(requests, search);
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

}  // namespace dragoman
