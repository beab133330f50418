#include "tests/search/c_details.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "dragoman/dragoman.h"

#define TEXT_OF(x) #x
#define LINE_OF(x) TEXT_OF(x)
#define EXPECT(condition) \
  if (!(condition)) return "line " LINE_OF(__LINE__) ": " #condition

static int reason_has(const char* words) { return strstr(dragoman_last_error(), words) != NULL; }

static const char* const kText = "the dog sees you";

/* ---- Requests ---- */

static const char* check_constraints_hold(dragoman_translator* translator) {
  dragoman_request* request = dragoman_request_new("the red house");
  EXPECT(request != NULL);
  EXPECT(dragoman_request_set_prefix(request, "wo ist") == 0);
  EXPECT(dragoman_request_add_term(request, "house", "haus") == 0);
  EXPECT(dragoman_request_ban(request, "hund") == 0);
  dragoman_result* result = dragoman_translate_request(translator, request, NULL);
  EXPECT(result != NULL && strncmp(dragoman_result_text(result, 0), "wo ist", 6) == 0);
  EXPECT(strstr(dragoman_result_text(result, 0), "haus") != NULL);
  EXPECT(strstr(dragoman_result_text(result, 0), "hund") == NULL && dragoman_result_part_count(result) == 1);
  dragoman_result_free(result);
  EXPECT(dragoman_request_set_source_language(request, "en") == 0); /* ignored by a model of one direction */
  result = dragoman_translate_request(translator, request, NULL);
  EXPECT(result != NULL);
  dragoman_result_free(result);
  EXPECT(dragoman_request_set_language(request, "fr") == 0);
  EXPECT(dragoman_translate_request(translator, request, NULL) == NULL && reason_has("fr"));
  dragoman_request_free(request);
  return NULL;
}

static const char* check_tokens(dragoman_translator* translator) {
  const char* tokens[] = {"the", "dog", "sees", "you"};
  const char* prefix[] = {"wo", "ist"};
  dragoman_request* requests[2] = {dragoman_request_new(kText), dragoman_request_new(NULL)};
  EXPECT(dragoman_request_set_tokens(requests[1], tokens, 4) == 0);
  EXPECT(dragoman_request_set_prefix_tokens(requests[1], prefix, 2) == 0);
  EXPECT(dragoman_request_set_prefix(requests[0], "wo ist") == 0);
  dragoman_result* results[2] = {NULL, NULL};
  EXPECT(dragoman_translate_requests(translator, (const dragoman_request* const*)requests, 2, NULL, results) == 0);
  EXPECT(strcmp(dragoman_result_text(results[0], 0), dragoman_result_text(results[1], 0)) == 0);
  for (int i = 0; i < 2; ++i) {
    dragoman_result_free(results[i]);
    dragoman_request_free(requests[i]);
  }
  return NULL;
}

static const char* check_wrong_requests(dragoman_translator* translator) {
  dragoman_request* request = dragoman_request_new("x");
  const char* broken[] = {"a", NULL};
  EXPECT(dragoman_request_set_tokens(request, broken, 2) == -1 && reason_has("token 2 of 2"));
  EXPECT(dragoman_request_set_tokens(request, NULL, 1) == -1 && dragoman_request_set_tokens(NULL, broken, 1) == -1);
  EXPECT(dragoman_request_set_prefix(request, NULL) == -1 && dragoman_request_set_prefix(NULL, "x") == -1);
  EXPECT(dragoman_request_set_prefix_tokens(request, NULL, -1) == -1 && reason_has("-1"));
  EXPECT(dragoman_request_add_term(request, "a", NULL) == -1 && dragoman_request_ban(request, NULL) == -1);
  EXPECT(dragoman_request_set_language(request, NULL) == -1 && reason_has("null pointer"));
  EXPECT(dragoman_request_set_source_language(request, NULL) == -1 && reason_has("null pointer"));
  EXPECT(dragoman_translate_request(translator, NULL, NULL) == NULL && reason_has("a request"));
  EXPECT(dragoman_translate_request(NULL, request, NULL) == NULL && reason_has("a translator"));
  const dragoman_request* const two[] = {request, NULL};
  dragoman_result* results[2] = {NULL, NULL};
  EXPECT(dragoman_translate_requests(translator, two, 2, NULL, results) == -1 && results[0] == NULL);
  EXPECT(dragoman_translate_requests(translator, two, 1, NULL, NULL) == -1 && reason_has("array for the results"));
  EXPECT(dragoman_translate_requests(translator, NULL, 1, NULL, results) == -1);
  EXPECT(dragoman_translate_requests(translator, NULL, -1, NULL, results) == -1);
  EXPECT(dragoman_translate_requests(translator, NULL, 0, NULL, NULL) == 0);
  dragoman_request_free(request);
  dragoman_request_free(NULL);
  return NULL;
}

/* ---- Explanations ---- */

static const char* check_places(const dragoman_explanation* explanation) {
  EXPECT(strcmp(dragoman_explanation_source(explanation), kText) == 0);
  int begin = -1, end = -1, word = -1;
  const char* token = dragoman_explanation_source_token(explanation, 1, &begin, &end, &word);
  EXPECT(token != NULL && strcmp(token, "dog") == 0 && word == 1 && end == 7 && begin >= 3);
  const int tokens = dragoman_explanation_token_count(explanation);
  EXPECT(tokens > 1 && strcmp(dragoman_explanation_token(explanation, tokens - 1, NULL, NULL, &word), "</s>") == 0);
  EXPECT(word == -1 && dragoman_explanation_source_token_count(explanation) > 4);
  for (int t = 0; t < tokens; ++t) {
    double probability = 0;
    EXPECT(dragoman_explanation_token_score(explanation, t) <= 0);
    EXPECT(dragoman_explanation_alternative_count(explanation, t) == 3);
    EXPECT(dragoman_explanation_alternative(explanation, t, 0, &probability) != NULL && probability > 0);
    double second = 1;
    EXPECT(dragoman_explanation_alternative(explanation, t, 1, &second) != NULL && second <= probability);
    EXPECT(dragoman_explanation_alternative_prefix(explanation, t, 0) != NULL);
  }
  int source = -1, target = -1;
  EXPECT(dragoman_explanation_link_count(explanation) > 0);
  EXPECT(dragoman_explanation_link(explanation, 0, &source, &target) == 0 && source >= 0 && target >= 0);
  EXPECT(dragoman_explanation_source_token(explanation, 99, NULL, NULL, NULL) == NULL && reason_has("source token 99"));
  EXPECT(dragoman_explanation_token(explanation, -1, NULL, NULL, NULL) == NULL);
  EXPECT(isnan(dragoman_explanation_token_score(explanation, tokens)));
  EXPECT(dragoman_explanation_alternative(explanation, 0, 3, NULL) == NULL && reason_has("alternative 3"));
  EXPECT(dragoman_explanation_alternative_count(explanation, tokens) == -1);
  EXPECT(dragoman_explanation_link(explanation, 0, NULL, NULL) == -1);
  return NULL;
}

static const char* check_layers(const dragoman_explanation* explanation) {
  const int layers = dragoman_explanation_layer_count(explanation);
  EXPECT(layers > 0);
  for (int layer = 0; layer < layers; ++layer) {
    const char* kind = dragoman_explanation_layer_kind(explanation, layer);
    const int of_source = strcmp(kind, "encoder") == 0;
    EXPECT(of_source || strcmp(kind, "source") == 0 || strcmp(kind, "past") == 0);
    EXPECT(strlen(dragoman_explanation_layer_name(explanation, layer)) > 0);
    EXPECT(dragoman_explanation_layer_mixtures(explanation, layer) == 0);
    const int heads = dragoman_explanation_head_count(explanation, layer);
    EXPECT(heads > 0);
    const int rows = dragoman_explanation_row_count(explanation, layer, heads - 1);
    EXPECT(rows == (of_source ? dragoman_explanation_source_token_count(explanation)
                              : dragoman_explanation_token_count(explanation)));
    for (int row = 0; row < rows; ++row) {
      int count = 0;
      const float* weights = dragoman_explanation_weights(explanation, layer, heads - 1, row, &count);
      EXPECT(weights != NULL && count > 0);
      float sum = 0;
      for (int i = 0; i < count; ++i) sum += weights[i];
      EXPECT(fabsf(sum - 1) < 1e-3f);
    }
  }
  int count = 0;
  EXPECT(dragoman_explanation_layer_kind(explanation, layers) == NULL && reason_has("there is no layer"));
  EXPECT(dragoman_explanation_weights(explanation, 0, 99, 0, &count) == NULL && reason_has("head 99"));
  EXPECT(dragoman_explanation_weights(explanation, 0, 0, 99, &count) == NULL && reason_has("row 99"));
  EXPECT(dragoman_explanation_weights(explanation, 0, 0, 0, NULL) == NULL && reason_has("null pointer"));
  return NULL;
}

static const char* check_tree(const dragoman_tree* tree) {
  const int size = dragoman_tree_size(tree);
  EXPECT(size > 2 && dragoman_tree_parent(tree, 0) == -1);
  int finished = 0, best = 0;
  for (int node = 1; node < size; ++node) {
    EXPECT(dragoman_tree_parent(tree, node) >= 0 && dragoman_tree_parent(tree, node) < node);
    EXPECT(strlen(dragoman_tree_token(tree, node)) > 0 && dragoman_tree_log_probability(tree, node) <= 0);
    EXPECT(!isnan(dragoman_tree_score(tree, node)));
    finished += dragoman_tree_finished(tree, node);
    best += dragoman_tree_finished(tree, node) == 1 && dragoman_tree_best(tree, node) == 1;
  }
  EXPECT(finished > 0 && best == 1);
  EXPECT(dragoman_tree_parent(tree, size) == -2 && reason_has("there is no node"));
  EXPECT(dragoman_tree_size(NULL) == -1 && dragoman_tree_token(NULL, 0) == NULL &&
         isnan(dragoman_tree_score(tree, -1)));
  EXPECT(dragoman_tree_finished(tree, size) == -1 && dragoman_tree_best(NULL, 0) == -1);
  return NULL;
}

static const char* check_explanations(dragoman_translator* translator) {
  dragoman_options* options = dragoman_options_new();
  EXPECT(dragoman_options_set(options, "explain", "true") == 0 && dragoman_options_set(options, "tree", "true") == 0);
  EXPECT(dragoman_options_set(options, "alternatives", "3") == 0 &&
         dragoman_options_set(options, "alignment", "true") == 0);
  EXPECT(dragoman_options_set(options, "alternatives", "1000") == -1 && reason_has("alternatives"));
  dragoman_result* result = dragoman_translate_with(translator, kText, options);
  dragoman_options_free(options);
  EXPECT(result != NULL && dragoman_result_explanation_count(result) == 1);
  const dragoman_explanation* explanation = dragoman_result_explanation(result, 0);
  EXPECT(explanation != NULL);
  EXPECT(strcmp(dragoman_explanation_text(explanation), dragoman_result_text(result, 0)) == 0);
  const char* problem = check_places(explanation);
  if (!problem) problem = check_layers(explanation);
  if (!problem) problem = check_tree(dragoman_explanation_tree(explanation));
  if (!problem) problem = check_tree(dragoman_result_tree(result));
  if (problem) return problem;
  int numbers[4] = {-1, -1, -1, -1};
  EXPECT(dragoman_result_span_count(result, 0) > 0);
  EXPECT(dragoman_result_span(result, 0, 0, numbers, numbers + 1, numbers + 2, numbers + 3) == 0);
  EXPECT(numbers[0] >= 0 && numbers[0] < numbers[1] && numbers[1] <= (int)strlen(kText) && numbers[2] < numbers[3]);
  EXPECT(dragoman_result_span(result, 0, 99, numbers, numbers, numbers, numbers) == -1 && reason_has("span 99"));
  EXPECT(dragoman_result_span(result, 0, 0, numbers, NULL, numbers, numbers) == -1);
  EXPECT(dragoman_result_explanation(result, 1) == NULL && reason_has("explanation 1"));
  dragoman_result_free(result);

  result = dragoman_translate_with(translator, kText, NULL);
  EXPECT(dragoman_result_explanation_count(result) == 0);
  EXPECT(dragoman_result_tree(result) == NULL && reason_has("set the option tree"));
  EXPECT(dragoman_explanation_source(NULL) == NULL && dragoman_explanation_token_count(NULL) == -1);
  EXPECT(dragoman_explanation_tree(NULL) == NULL && dragoman_result_span_count(NULL, 0) == -1);
  EXPECT(dragoman_result_part_count(NULL) == -1 && dragoman_result_explanation_count(NULL) == -1);
  dragoman_result_free(result);
  return NULL;
}

/* ---- Documents and metrics ---- */

static const char* check_documents(dragoman_translator* translator) {
  char* page = dragoman_translate_document(translator, "<p>a blue dog <b>sees</b> you !</p>", "html", NULL);
  char* text = dragoman_translate(translator, "a blue dog sees you !", 4);
  EXPECT(page != NULL && strstr(page, "<p>") == page && strstr(page, "</p>") != NULL && strstr(page, "<b>") != NULL);
  EXPECT(text != NULL && strcmp(page, text) != 0);
  dragoman_free(page);
  char* lines = dragoman_translate_document(translator, "a blue dog sees you !\n", "text", NULL);
  EXPECT(lines != NULL && strncmp(lines, text, strlen(text)) == 0);
  dragoman_free(lines);
  dragoman_free(text);
  EXPECT(dragoman_translate_document(translator, "a", "pdf", NULL) == NULL && reason_has("expected one of"));
  EXPECT(dragoman_translate_document(translator, NULL, "html", NULL) == NULL && reason_has("document"));
  EXPECT(dragoman_translate_document(NULL, "a", "html", NULL) == NULL && reason_has("a translator"));
  return NULL;
}

static const char* check_metrics(void) {
  const char* hypotheses[] = {"the cat sat on the mat", "it rains today"};
  const char* first[] = {"the cat sat on the mat", "it rained today"};
  const char* second[] = {"a cat sat on the mat", "it rains today"};
  const char* const* references[] = {first, second};
  dragoman_metric_score* score = dragoman_evaluate("bleu", hypotheses, 2, references, 2);
  EXPECT(score != NULL && dragoman_metric_score_value(score) > 99.9);
  EXPECT(strcmp(dragoman_metric_score_name(score), "BLEU") == 0);
  EXPECT(strstr(dragoman_metric_score_signature(score), "nrefs:2") != NULL);
  dragoman_metric_score_free(score);
  score = dragoman_evaluate("ter", hypotheses, 2, references, 1);
  EXPECT(score != NULL && fabs(dragoman_metric_score_value(score) - 100.0 / 9) < 1e-6); /* one edit of nine words */
  dragoman_metric_score_free(score);
  score = dragoman_evaluate("chrf++", hypotheses, 2, references, 1);
  EXPECT(score != NULL && strcmp(dragoman_metric_score_name(score), "chrF2++") == 0);
  dragoman_metric_score_free(score);
  EXPECT(dragoman_evaluate("meteor", hypotheses, 2, references, 1) == NULL && reason_has("bleu, chrf, chrf++ or ter"));
  EXPECT(dragoman_evaluate("bleu", hypotheses, 2, references, 0) == NULL && reason_has("one set of references"));
  EXPECT(dragoman_evaluate("bleu", hypotheses, 0, references, 1) == NULL && reason_has("at least one hypothesis"));
  EXPECT(dragoman_evaluate(NULL, hypotheses, 2, references, 1) == NULL && reason_has("metric"));
  EXPECT(isnan(dragoman_metric_score_value(NULL)) && dragoman_metric_score_signature(NULL) == NULL);
  dragoman_metric_score_free(NULL);
  return NULL;
}

/* ---- Scores ---- */

static const char* check_scores(const char* model) {
  dragoman_options* options = dragoman_options_new();
  EXPECT(dragoman_options_set(options, "device", "cpu") == 0 &&
         dragoman_options_set(options, "alignment", "true") == 0);
  dragoman_scorer* scorer = dragoman_scorer_open(model, options);
  EXPECT(scorer != NULL);
  dragoman_scored* scored = dragoman_scorer_score(scorer, kText, "ein blauer hund", options);
  EXPECT(scored != NULL && dragoman_scored_token_count(scored) == 3 && dragoman_scored_link_count(scored) == 3);
  double sum = 0;
  for (int t = 0; t <= 3; ++t) sum += dragoman_scored_token_score(scored, t);
  EXPECT(sum < 0 && fabs(sum - dragoman_scored_log_probability(scored)) < 1e-4);
  EXPECT(strcmp(dragoman_scored_token(scored, 2), "hund") == 0);
  int source = -1, target = -1;
  EXPECT(dragoman_scored_link(scored, 0, &source, &target) == 0 && source >= 0 && target == 0);
  EXPECT(dragoman_scored_token(scored, 3) == NULL && isnan(dragoman_scored_token_score(scored, -1)));
  EXPECT(dragoman_scored_link(scored, 0, NULL, &target) == -1 && isnan(dragoman_scored_log_probability(NULL)));
  EXPECT(dragoman_scored_token_count(NULL) == -1 && dragoman_scored_link_count(NULL) == -1);
  dragoman_scored_free(scored);

  const char* sources[] = {kText, NULL};
  dragoman_scored* results[2] = {NULL, NULL};
  EXPECT(dragoman_scorer_score_batch(scorer, sources, sources, 2, NULL, results) == -1 && reason_has("source 2 of 2"));
  EXPECT(results[0] == NULL && dragoman_scorer_score_batch(scorer, sources, sources, 1, NULL, NULL) == -1);
  EXPECT(dragoman_scorer_score_batch(NULL, sources, sources, 1, NULL, results) == -1 && reason_has("a scorer"));
  EXPECT(dragoman_scorer_score_batch(scorer, NULL, NULL, 0, NULL, NULL) == 0);
  EXPECT(dragoman_scorer_score(scorer, kText, NULL, NULL) == NULL && reason_has("target 1 of 1"));
  EXPECT(dragoman_scorer_open(NULL, NULL) == NULL && dragoman_scorer_open("absent", options) == NULL);
  dragoman_options_free(options);
  dragoman_scorer_free(scorer);
  dragoman_scorer_free(NULL);
  dragoman_scored_free(NULL);
  return NULL;
}

const char* check_c_details(const char* model) {
  dragoman_options* options = dragoman_options_new();
  EXPECT(dragoman_options_set(options, "device", "cpu") == 0 && dragoman_options_set(options, "threads", "2") == 0 &&
         dragoman_options_set(options, "workers", "1") == 0 &&
         dragoman_options_set(options, "shortlist", "false") == 0);
  dragoman_translator* translator = dragoman_open_with(&model, 1, options);
  dragoman_options_free(options);
  EXPECT(translator != NULL && dragoman_translator_aligns(translator) == 1);
  EXPECT(dragoman_translator_language_count(translator) == 0 && dragoman_translator_language_count(NULL) == -1);
  EXPECT(dragoman_translator_language(translator, 0) == NULL && reason_has("there is no language 0"));
  EXPECT(dragoman_translator_aligns(NULL) == -1);
  const char* problem = check_constraints_hold(translator);
  if (!problem) problem = check_tokens(translator);
  if (!problem) problem = check_wrong_requests(translator);
  if (!problem) problem = check_explanations(translator);
  if (!problem) problem = check_documents(translator);
  if (!problem) problem = check_metrics();
  if (!problem) problem = check_scores(model);
  dragoman_close(translator);
  return problem;
}
