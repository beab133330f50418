#include <cstdlib>
#include <cstring>
#include <new>

#include "base/error.h"
#include "base/version.h"
#include "dragoman/dragoman.h"
#include "dragoman/translator.h"

struct dragoman_translator {
  dragoman::Translator translator;
};

namespace {

thread_local std::string last_error;

// Runs `body`; what it throws becomes the thread's last error and `failed` the answer.
template <class T, class F>
T guarded(T failed, F&& body) noexcept {
  try {
    last_error.clear();
    return body();
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "something that is no std::exception was thrown";
  }
  return failed;
}

char* copy_of(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

dragoman::SearchOptions with_beam(int beam) {
  dragoman::SearchOptions options;
  options.beam = beam;
  return options;
}

}  // namespace

const char* dragoman_version(void) { return DRAGOMAN_VERSION; }

const char* dragoman_last_error(void) { return last_error.c_str(); }

dragoman_translator* dragoman_open(const char* model_file, int threads) {
  return guarded<dragoman_translator*>(nullptr, [&] {
    dragoman::check(model_file != nullptr, "dragoman_open: expected a model file but got a null pointer");
    dragoman::TranslatorOptions options;
    options.threads = threads;
    return new dragoman_translator{dragoman::Translator(model_file, options)};
  });
}

void dragoman_close(dragoman_translator* translator) { delete translator; }

char* dragoman_translate(dragoman_translator* translator, const char* text, int beam) {
  return guarded<char*>(nullptr, [&] {
    dragoman::check(translator && text, "dragoman_translate: expected a translator and a text but got a null pointer");
    return copy_of(translator->translator.translate(text, with_beam(beam)));
  });
}

int dragoman_translate_batch(dragoman_translator* translator, const char* const* texts, int count, int beam,
                             char** translations) {
  return guarded(-1, [&] {
    dragoman::check(translator && count >= 0 && (count == 0 || (texts && translations)),
                    "dragoman_translate_batch: expected a translator and two arrays but got a null pointer");
    const std::vector<std::string> answers =
        translator->translator.translate(std::vector<std::string>(texts, texts + count), with_beam(beam));
    for (std::size_t i = 0; i < answers.size(); ++i) translations[i] = copy_of(answers[i]);
    return 0;
  });
}

void dragoman_free(char* text) { std::free(text); }
