#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/backend.h"
#include "serve/call.h"
#include "serve/detect.h"
#include "serve/formats.h"

namespace dragoman::serve {

// Texts of one request, as its client sent them.
struct TextTask {
  struct Text {
    std::string text;
    DetectedLanguage source;
  };
  std::vector<Text> texts;
  std::string target;
  document::Format format = document::Format::text;
  document::Options parsing{};
  int alternatives = 0;
  std::shared_ptr<const run::TermList> terms;
};

// The texts of a request and the languages as its client names them.
struct AskedTexts {
  std::vector<std::string> texts;
  std::string source;  // empty: to be detected, for each text
  std::string target;
  document::Format format = document::Format::text;
};

// Finds languages and terms, and counts the characters as usage. A text that is in the target language already has that
// as its source. Throws HttpError 400 if the texts exceed the limits or a language is unknown.
TextTask make_task(const Backend& backend, Call& call, AskedTexts asked);

struct TranslatedText {
  std::string text;
  std::vector<std::string> alternatives;
};

// Translates the texts and calls `then` with one translation per text, on a task thread; texts whose source is the
// target stay as they are. Errors become the response of the call. Throws HttpError if the task exceeds the limits.
void translate_texts(Backend& backend, const std::shared_ptr<Call>& call, TextTask task,
                     std::function<void(std::vector<TranslatedText>)> then);

// The number of characters of all texts. Throws HttpError 400 if they exceed the limits.
std::size_t check_texts(const Backend& backend, const std::vector<std::string>& texts,
                        std::size_t most_characters = std::string::npos);

// How many times the usual work a token of this search takes.
std::size_t weight_of(const Backend& backend, const SearchOptions& search);

// The language that a client names, as the models call it. Throws HttpError 400 if no model knows it.
std::string require_language(const std::string& asked, const std::vector<std::string>& known);

// The terms of a request: those of the glossary `glossary_id` (or of the list `glossary_ids`) in this direction, and
// the pairs of the object `terms`. Null if it names none. Throws HttpError 400 or 404 if they cannot be used.
std::shared_ptr<const run::TermList> find_terms(const Backend& backend, Call& call, const text::LanguagePair& pair);

}  // namespace dragoman::serve
