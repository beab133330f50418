#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "dragoman/version.h"
#include "search/interface/c_result.h"

using dragoman::check;
using namespace dragoman::search::c;

namespace {

std::vector<dragoman::Request> requests_of(const std::vector<std::string>& texts) {
  std::vector<dragoman::Request> requests(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) requests[i].text = texts[i];
  return requests;
}

dragoman::SearchOptions with_beam(int beam) {
  dragoman::SearchOptions options;
  options.beam = beam;
  return options;
}

const dragoman::Translation& translation_of(const dragoman_result* result, int index) {
  return item(deref(result, "a result").result.translations, index, "translation");
}

const float* weights_of(const dragoman_result* result, int translation,
                        std::vector<std::vector<float>> dragoman::Translation::*weights, int token, const char* what,
                        int* count) {
  return guarded<const float*>(nullptr, [&] {
    check(count != nullptr, "expected a number to fill but got a null pointer");
    const std::vector<float>& row = item(translation_of(result, translation).*weights, token, what);
    *count = static_cast<int>(row.size());
    return row.data();
  });
}

}  // namespace

const char* dragoman_version(void) { return dragoman::version(); }

const char* dragoman_last_error(void) { return last_error(); }

dragoman_translator* dragoman_open(const char* model_file, int threads) {
  return guarded<dragoman_translator*>(nullptr, [&] {
    dragoman::TranslatorOptions options;
    options.threads = threads;
    return new dragoman_translator(dragoman::Translator(texts_of(&model_file, 1, "model file"), options));
  });
}

dragoman_translator* dragoman_open_with(const char* const* model_files, int count, const dragoman_options* options) {
  return guarded<dragoman_translator*>(nullptr, [&] {
    return new dragoman_translator(dragoman::Translator(
        texts_of(model_files, count, "model file"), options ? options->for_opening() : dragoman::TranslatorOptions()));
  });
}

int dragoman_translator_language_count(const dragoman_translator* translator) {
  return guarded(-1, [&] { return static_cast<int>(deref(translator, "a translator").languages.size()); });
}

const char* dragoman_translator_language(const dragoman_translator* translator, int language) {
  return guarded<const char*>(
      nullptr, [&] { return item(deref(translator, "a translator").languages, language, "language").c_str(); });
}

int dragoman_translator_aligns(const dragoman_translator* translator) {
  return guarded(-1, [&] { return deref(translator, "a translator").translator.aligns() ? 1 : 0; });
}

void dragoman_close(dragoman_translator* translator) { delete translator; }

char* dragoman_translate(dragoman_translator* translator, const char* text, int beam) {
  char* translation = nullptr;
  dragoman_translate_batch(translator, &text, 1, beam, &translation);
  return translation;
}

char* dragoman_translate_document(dragoman_translator* translator, const char* document, const char* format,
                                  const dragoman_options* options) {
  return guarded<char*>(nullptr, [&] {
    const std::string text = texts_of(&document, 1, "document").front();
    const dragoman::DocumentOptions reading{.format = texts_of(&format, 1, "format").front()};
    dragoman::SearchOptions search;
    if (options) search = options->search;
    return copy_of(deref(translator, "a translator").translator.translate_document(text, reading, search)).release();
  });
}

int dragoman_translate_batch(dragoman_translator* translator, const char* const* texts, int count, int beam,
                             char** translations) {
  return guarded(-1, [&] {
    check(count <= 0 || translations != nullptr, "expected an array for the translations but got a null pointer");
    std::vector<CText> copies;
    for (const dragoman::TranslationResult& result :
         deref(translator, "a translator")
             .translator.translate(requests_of(texts_of(texts, count, "text")), with_beam(beam)))
      copies.push_back(copy_of(result.translations.empty() ? "" : result.translations.front().text));
    for (CText& copy : copies) *translations++ = copy.release();
    return 0;
  });
}

void dragoman_free(char* text) { std::free(text); }

dragoman_options* dragoman_options_new(void) {
  return guarded<dragoman_options*>(nullptr, [] { return new dragoman_options; });
}

void dragoman_options_free(dragoman_options* options) { delete options; }

int dragoman_options_set(dragoman_options* options, const char* name, const char* value) {
  return guarded(-1, [&] {
    check(options && name && value, "expected options, a name and a value but got a null pointer");
    options->settings.set(name, value);
    return 0;
  });
}

char* dragoman_options_get(const dragoman_options* options, const char* name) {
  return guarded<char*>(nullptr, [&] {
    check(options && name, "expected options and a name but got a null pointer");
    for (const dragoman::Setting& setting : options->settings.all())
      if (setting.key == name) return copy_of(setting.text ? setting.text() : setting.get()).release();
    dragoman::fail("there is no option '{}'", name);
  });
}

dragoman_result* dragoman_translate_with(dragoman_translator* translator, const char* text,
                                         const dragoman_options* options) {
  dragoman_result* result = nullptr;
  dragoman_translate_batch_with(translator, &text, 1, options, &result);
  return result;
}

int dragoman_translate_batch_with(dragoman_translator* translator, const char* const* texts, int count,
                                  const dragoman_options* options, dragoman_result** results) {
  return guarded(
      -1, [&] { return fill_results(translator, requests_of(texts_of(texts, count, "text")), options, results); });
}

void dragoman_result_free(dragoman_result* result) { delete result; }

int dragoman_result_count(const dragoman_result* result) {
  return guarded(-1, [&] { return static_cast<int>(deref(result, "a result").result.translations.size()); });
}

const char* dragoman_result_text(const dragoman_result* result, int translation) {
  return guarded<const char*>(nullptr, [&] { return translation_of(result, translation).text.c_str(); });
}

double dragoman_result_score(const dragoman_result* result, int translation) {
  return guarded<double>(NAN, [&] { return translation_of(result, translation).score; });
}

double dragoman_result_log_probability(const dragoman_result* result, int translation) {
  return guarded<double>(NAN, [&] { return translation_of(result, translation).log_probability; });
}

int dragoman_result_token_count(const dragoman_result* result, int translation) {
  return guarded(-1, [&] { return static_cast<int>(translation_of(result, translation).tokens.size()); });
}

const char* dragoman_result_token(const dragoman_result* result, int translation, int token) {
  return guarded<const char*>(nullptr,
                              [&] { return item(translation_of(result, translation).tokens, token, "token").c_str(); });
}

double dragoman_result_token_score(const dragoman_result* result, int translation, int token) {
  return guarded<double>(NAN,
                         [&] { return item(translation_of(result, translation).token_scores, token, "token score"); });
}

int dragoman_result_source_token_count(const dragoman_result* result) {
  return guarded(-1, [&] { return static_cast<int>(deref(result, "a result").result.source_tokens.size()); });
}

const char* dragoman_result_source_token(const dragoman_result* result, int token) {
  return guarded<const char*>(
      nullptr, [&] { return item(deref(result, "a result").result.source_tokens, token, "source token").c_str(); });
}

int dragoman_result_link_count(const dragoman_result* result, int translation) {
  return guarded(-1, [&] { return static_cast<int>(translation_of(result, translation).alignment.size()); });
}

int dragoman_result_link(const dragoman_result* result, int translation, int link, int* source, int* target) {
  return guarded(-1, [&] { return fill_link(translation_of(result, translation).alignment, link, source, target); });
}

int dragoman_result_span_count(const dragoman_result* result, int translation) {
  return guarded(-1, [&] { return static_cast<int>(translation_of(result, translation).span_links.size()); });
}

int dragoman_result_span(const dragoman_result* result, int translation, int span, int* source_begin, int* source_end,
                         int* target_begin, int* target_end) {
  return guarded(-1, [&] {
    check(source_begin && source_end && target_begin && target_end,
          "expected four numbers to fill but got a null pointer");
    const dragoman::SpanLink& found = item(translation_of(result, translation).span_links, span, "span");
    *source_begin = static_cast<int>(found.source_begin);
    *source_end = static_cast<int>(found.source_end);
    *target_begin = static_cast<int>(found.target_begin);
    *target_end = static_cast<int>(found.target_end);
    return 0;
  });
}

int dragoman_result_part_count(const dragoman_result* result) {
  return guarded(-1, [&] { return deref(result, "a result").result.parts; });
}

const dragoman_tree* dragoman_result_tree(const dragoman_result* result) {
  return guarded<const dragoman_tree*>(nullptr, [&] {
    const dragoman_tree& tree = deref(result, "a result").tree;
    check(!tree.nodes.empty(), "there is no tree: set the option tree, and translate a text that is not blank");
    return &tree;
  });
}

int dragoman_result_explanation_count(const dragoman_result* result) {
  return guarded(-1, [&] { return static_cast<int>(deref(result, "a result").explanations.size()); });
}

const dragoman_explanation* dragoman_result_explanation(const dragoman_result* result, int part) {
  return guarded<const dragoman_explanation*>(
      nullptr, [&] { return &item(deref(result, "a result").explanations, part, "explanation"); });
}

const float* dragoman_result_attention(const dragoman_result* result, int translation, int token, int* count) {
  return weights_of(result, translation, &dragoman::Translation::attention, token, "row of attention", count);
}

const float* dragoman_result_past_attention(const dragoman_result* result, int translation, int token, int* count) {
  return weights_of(result, translation, &dragoman::Translation::past_attention, token,
                    "row of attention over the past", count);
}
