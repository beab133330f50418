#include "tests/search/c_classifier.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "dragoman/dragoman.h"

#define TEXT_OF(x) #x
#define LINE_OF(x) TEXT_OF(x)
#define EXPECT(condition) \
  if (!(condition)) return "line " LINE_OF(__LINE__) ": " #condition

static int last_error_has(const char* words) { return strstr(dragoman_last_error(), words) != NULL; }

static const char* check_refusals(const char* model, const char* translation_model, dragoman_options* options) {
  EXPECT(dragoman_classifier_open("nothing.safetensors", options) == NULL && last_error_has("nothing.safetensors"));
  EXPECT(dragoman_classifier_open(NULL, NULL) == NULL && last_error_has("null pointer"));
  EXPECT(dragoman_classifier_open(translation_model, options) == NULL && last_error_has("dragoman translate"));
  EXPECT(dragoman_open(model, 1) == NULL && last_error_has("dragoman classify"));
  dragoman_options* other = dragoman_options_new();
  EXPECT(dragoman_options_set(other, "device", "abacus") == 0);
  EXPECT(dragoman_classifier_open(model, other) == NULL && last_error_has("abacus"));
  dragoman_options_free(other);
  dragoman_classifier_free(NULL);
  dragoman_classification_free(NULL);
  return NULL;
}

static const char* check_labels(dragoman_classifier* classifier) {
  EXPECT(dragoman_classifier_label_count(classifier) == 3 && dragoman_classifier_label_count(NULL) == -1);
  for (int i = 0; i < 3; ++i) EXPECT(strlen(dragoman_classifier_label(classifier, i)) > 0);
  EXPECT(dragoman_classifier_label(classifier, 3) == NULL && last_error_has("there is no label 3; there are 3"));
  EXPECT(dragoman_classifier_label(classifier, -1) == NULL && dragoman_classifier_label(NULL, 0) == NULL);
  return NULL;
}

static const char* check_one_text(dragoman_classifier* classifier) {
  dragoman_classification* result = dragoman_classifier_classify(classifier, "where is it ?", 0);
  EXPECT(result != NULL && dragoman_classification_count(result) == 3);
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT(strlen(dragoman_classification_label(result, i)) > 0);
    sum += dragoman_classification_probability(result, i);
  }
  EXPECT(fabs(sum - 1) < 1e-9 && dragoman_classification_truncated(result) == 0);
  EXPECT(dragoman_classification_probability(result, 0) >= dragoman_classification_probability(result, 1));
  EXPECT(dragoman_classification_label(result, 3) == NULL && last_error_has("there is no label 3"));
  EXPECT(isnan(dragoman_classification_probability(result, -1)) && dragoman_classification_count(NULL) == -1);
  EXPECT(dragoman_classification_truncated(NULL) == -1);
  dragoman_classification_free(result);
  EXPECT(dragoman_classifier_classify(classifier, NULL, 1) == NULL && last_error_has("text 1 of 1"));
  EXPECT(dragoman_classifier_classify(NULL, "dog", 1) == NULL && last_error_has("a classifier"));
  EXPECT(dragoman_classifier_classify(classifier, "dog", -1) == NULL && last_error_has("top"));
  return NULL;
}

static const char* check_batches(dragoman_classifier* classifier) {
  const char* texts[] = {"the dog", "", "the dog sees you where is it"};
  dragoman_classification* results[3] = {NULL, NULL, NULL};
  EXPECT(dragoman_classifier_classify_batch(classifier, texts, 3, 1, results) == 0);
  EXPECT(dragoman_classification_count(results[0]) == 1 && dragoman_classification_count(results[1]) == 0);
  EXPECT(dragoman_classification_truncated(results[2]) == 1);
  for (int i = 0; i < 3; ++i) dragoman_classification_free(results[i]);
  EXPECT(dragoman_classifier_classify_batch(classifier, NULL, 0, 1, NULL) == 0);
  EXPECT(dragoman_classifier_classify_batch(classifier, texts, 3, 1, NULL) == -1 && last_error_has("array"));
  EXPECT(dragoman_classifier_classify_batch(classifier, texts, -1, 1, results) == -1 && last_error_has("-1"));
  texts[1] = NULL;
  results[0] = NULL;
  EXPECT(dragoman_classifier_classify_batch(classifier, texts, 3, 1, results) == -1 && last_error_has("text 2 of 3"));
  EXPECT(results[0] == NULL);
  return NULL;
}

const char* check_c_classifier(const char* model, const char* translation_model) {
  dragoman_options* options = dragoman_options_new();
  EXPECT(dragoman_options_set(options, "device", "cpu") == 0 && dragoman_options_set(options, "threads", "2") == 0 &&
         dragoman_options_set(options, "max-input-tokens", "6") == 0);
  const char* problem = check_refusals(model, translation_model, options);
  dragoman_classifier* classifier = dragoman_classifier_open(model, options);
  dragoman_options_free(options);
  if (problem) return problem;
  EXPECT(classifier != NULL && strcmp(dragoman_last_error(), "") == 0);
  problem = check_labels(classifier);
  if (!problem) problem = check_one_text(classifier);
  if (!problem) problem = check_batches(classifier);
  dragoman_classifier_free(classifier);
  return problem;
}
