#include "tests/search/c_interface.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "dragoman/dragoman.h"

#define TEXT_OF(x) #x
#define LINE_OF(x) TEXT_OF(x)
#define EXPECT(condition) \
  if (!(condition)) return "line " LINE_OF(__LINE__) ": " #condition

static int error_has(const char* words) { return strstr(dragoman_last_error(), words) != NULL; }

static const char* check_opening(const char* model) {
  EXPECT(strlen(dragoman_version()) > 0);
  EXPECT(dragoman_open("nothing.safetensors", 1) == NULL && error_has("nothing.safetensors"));
  EXPECT(dragoman_open(NULL, 1) == NULL && error_has("null pointer"));
  EXPECT(dragoman_open(model, 1000000000) == NULL && error_has("between 0 and 1024"));
  EXPECT(dragoman_open(model, -1) == NULL && error_has("between 0 and 1024"));
  EXPECT(dragoman_open_with(NULL, 1, NULL) == NULL && error_has("null pointer"));
  EXPECT(dragoman_open_with(NULL, 0, NULL) == NULL && error_has("at least one model"));
  dragoman_close(NULL);
  return NULL;
}

static const char* check_options(const char* model) {
  dragoman_options* options = dragoman_options_new();
  EXPECT(options != NULL);
  char* beam = dragoman_options_get(options, "beam");
  EXPECT(beam != NULL && strcmp(beam, "4") == 0);
  dragoman_free(beam);
  EXPECT(dragoman_options_set(options, "beam", "6") == 0 && strcmp(dragoman_last_error(), "") == 0);
  beam = dragoman_options_get(options, "beam");
  EXPECT(beam != NULL && strcmp(beam, "6") == 0);
  dragoman_free(beam);
  EXPECT(dragoman_options_set(options, "beam", "wide") == -1 && error_has("beam"));
  EXPECT(dragoman_options_set(options, "beam", "0") == -1 && error_has("beam"));
  EXPECT(dragoman_options_set(options, "baem", "6") == -1 && error_has("beam"));
  EXPECT(dragoman_options_set(NULL, "beam", "6") == -1 && error_has("null pointer"));
  EXPECT(dragoman_options_get(options, "baem") == NULL && error_has("baem"));
  EXPECT(dragoman_options_set(options, "device", "abacus") == 0);
  char* device = dragoman_options_get(options, "device");
  EXPECT(device != NULL && strcmp(device, "abacus") == 0);
  dragoman_free(device);
  EXPECT(dragoman_open_with(&model, 1, options) == NULL && error_has("abacus"));
  dragoman_options_free(options);
  dragoman_options_free(NULL);
  return NULL;
}

static const char* check_texts(dragoman_translator* translator) {
  char* one = dragoman_translate(translator, "the dog sees you", 4);
  EXPECT(one != NULL && strlen(one) > 0);
  const char* texts[] = {"the dog sees you", ""};
  char* both[2] = {NULL, NULL};
  EXPECT(dragoman_translate_batch(translator, texts, 2, 4, both) == 0);
  EXPECT(strcmp(both[0], one) == 0 && strcmp(both[1], "") == 0);
  EXPECT(dragoman_translate_batch(translator, NULL, 0, 4, NULL) == 0);
  EXPECT(dragoman_translate(translator, NULL, 4) == NULL && error_has("null pointer"));
  EXPECT(dragoman_translate(NULL, "x", 4) == NULL && error_has("null pointer"));
  EXPECT(dragoman_translate(translator, "x", 0) == NULL && error_has("beam"));
  dragoman_free(one);
  dragoman_free(both[0]);
  dragoman_free(both[1]);
  return NULL;
}

/* A batch that fails in the middle fills nothing, neither before nor after the failing text. */
static const char* check_failing_batches(dragoman_translator* translator) {
  char mark = 0;
  char* texts_out[3] = {&mark, &mark, &mark};
  const char* with_null[] = {"the dog", NULL, "the house"};
  EXPECT(dragoman_translate_batch(translator, with_null, 3, 4, texts_out) == -1 && error_has("text 2 of 3"));
  const char* with_long[] = {"the dog", "the dog sees the house and the dog sees the house", "the house"};
  EXPECT(dragoman_translate_batch(translator, with_long, 3, 4, texts_out) == -1 && error_has("longer than"));
  EXPECT(dragoman_translate_batch(translator, with_null, -1, 4, texts_out) == -1 && error_has("-1"));
  for (int i = 0; i < 3; ++i) EXPECT(texts_out[i] == &mark);
  dragoman_result* results[3] = {NULL, NULL, NULL};
  EXPECT(dragoman_translate_batch_with(translator, with_long, 3, NULL, results) == -1 && error_has("longer than"));
  for (int i = 0; i < 3; ++i) EXPECT(results[i] == NULL);
  return NULL;
}

static const char* check_one_translation(const dragoman_result* result, int translation) {
  const int tokens = dragoman_result_token_count(result, translation);
  EXPECT(tokens > 0);
  EXPECT(strlen(dragoman_result_text(result, translation)) > 0);
  double sum = 0;
  for (int t = 0; t <= tokens; ++t) sum += dragoman_result_token_score(result, translation, t);
  EXPECT(fabs(sum - dragoman_result_log_probability(result, translation)) < 1e-4);
  for (int t = 0; t < tokens; ++t) {
    EXPECT(strlen(dragoman_result_token(result, translation, t)) > 0);
    int count = 0;
    const float* weights = dragoman_result_attention(result, translation, t, &count);
    EXPECT(weights != NULL && count == dragoman_result_source_token_count(result));
    float total = 0;
    for (int s = 0; s < count; ++s) total += weights[s];
    EXPECT(fabsf(total - 1) < 1e-3f);
  }
  EXPECT(dragoman_result_token(result, translation, tokens) == NULL && error_has("there is no token"));
  EXPECT(dragoman_result_link_count(result, translation) > 0);
  int source = -1, target = -1;
  EXPECT(dragoman_result_link(result, translation, 0, &source, &target) == 0 && source >= 0 && target >= 0);
  EXPECT(dragoman_result_link(result, translation, 1000, &source, &target) == -1 && error_has("link 1000"));
  return NULL;
}

static const char* check_results(dragoman_translator* translator) {
  dragoman_options* options = dragoman_options_new();
  EXPECT(dragoman_options_set(options, "n-best", "2") == 0 && dragoman_options_set(options, "alignment", "true") == 0 &&
         dragoman_options_set(options, "token-scores", "true") == 0 &&
         dragoman_options_set(options, "attention", "true") == 0);
  dragoman_result* result = dragoman_translate_with(translator, "the dog sees you", options);
  EXPECT(result != NULL && dragoman_result_count(result) == 2);
  EXPECT(dragoman_result_score(result, 0) >= dragoman_result_score(result, 1));
  EXPECT(strlen(dragoman_result_source_token(result, 0)) > 0);
  for (int i = 0; i < 2; ++i) {
    const char* problem = check_one_translation(result, i);
    if (problem) return problem;
  }
  EXPECT(dragoman_result_text(result, 2) == NULL && error_has("there is no translation 2"));
  EXPECT(isnan(dragoman_result_score(result, -1)) && error_has("translation -1"));
  EXPECT(dragoman_result_count(NULL) == -1 && error_has("null pointer"));
  dragoman_result_free(result);
  dragoman_result_free(NULL);
  dragoman_options_free(options);

  result = dragoman_translate_with(translator, "the dog sees you", NULL);
  EXPECT(result != NULL && dragoman_result_count(result) == 1 && dragoman_result_link_count(result, 0) == 0);
  EXPECT(isnan(dragoman_result_token_score(result, 0, 0)) && error_has("token score"));
  dragoman_result_free(result);
  return NULL;
}

const char* check_c_interface(const char* model) {
  const char* problem = check_opening(model);
  if (!problem) problem = check_options(model);
  if (problem) return problem;
  dragoman_options* options = dragoman_options_new();
  EXPECT(dragoman_options_set(options, "device", "cpu") == 0 && dragoman_options_set(options, "threads", "2") == 0 &&
         dragoman_options_set(options, "max-input-tokens", "8") == 0 &&
         dragoman_options_set(options, "long-lines", "refuse") == 0);
  dragoman_translator* translator = dragoman_open_with(&model, 1, options);
  dragoman_options_free(options);
  EXPECT(translator != NULL);
  problem = check_texts(translator);
  if (!problem) problem = check_failing_batches(translator);
  if (!problem) problem = check_results(translator);
  dragoman_close(translator);
  return problem;
}
