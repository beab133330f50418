/* Shows how a translation came about, and how likely another one would be:  example_explain_c MODEL TEXT [TRANSLATION]
 */
#include <dragoman/dragoman.h>
#include <stdio.h>

static int fail(void) {
  fprintf(stderr, "%s\n", dragoman_last_error());
  return 1;
}

/* Every written token with its probable alternatives. */
static void print_tokens(const dragoman_explanation* explanation) {
  for (int t = 0; t < dragoman_explanation_token_count(explanation); ++t) {
    printf("  %-16s %8.3f  ", dragoman_explanation_token(explanation, t, NULL, NULL, NULL),
           dragoman_explanation_token_score(explanation, t));
    for (int i = 0; i < dragoman_explanation_alternative_count(explanation, t); ++i) {
      double probability = 0;
      const char* token = dragoman_explanation_alternative(explanation, t, i, &probability);
      printf(" %s %.2f", token, probability);
    }
    printf("\n");
  }
}

/* The layers of attention and the size of the beam. */
static void print_search(const dragoman_explanation* explanation) {
  for (int layer = 0; layer < dragoman_explanation_layer_count(explanation); ++layer)
    printf("  attention %s, %s: %d heads of %d rows\n", dragoman_explanation_layer_kind(explanation, layer),
           dragoman_explanation_layer_name(explanation, layer), dragoman_explanation_head_count(explanation, layer),
           dragoman_explanation_row_count(explanation, layer, 0));
  const dragoman_tree* tree = dragoman_explanation_tree(explanation);
  if (tree) printf("  %d hypotheses were in the beam\n", dragoman_tree_size(tree));
}

static int explain(const char* model, const char* text, const dragoman_options* options) {
  dragoman_translator* translator = dragoman_open_with(&model, 1, options);
  if (!translator) return fail();
  dragoman_result* result = dragoman_translate_with(translator, text, options);
  dragoman_close(translator);
  if (!result) return fail();
  printf("%s\n", dragoman_result_text(result, 0));
  for (int part = 0; part < dragoman_result_explanation_count(result); ++part) {
    const dragoman_explanation* explanation = dragoman_result_explanation(result, part);
    print_tokens(explanation);
    print_search(explanation);
  }
  dragoman_result_free(result);
  return 0;
}

static int score(const char* model, const char* text, const char* translation, const dragoman_options* options) {
  dragoman_scorer* scorer = dragoman_scorer_open(model, options);
  if (!scorer) return fail();
  dragoman_scored* scored = dragoman_scorer_score(scorer, text, translation, options);
  dragoman_scorer_free(scorer);
  if (!scored) return fail();
  printf("%s\n  log probability %.4f\n", translation, dragoman_scored_log_probability(scored));
  dragoman_scored_free(scored);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: example_explain_c MODEL TEXT [TRANSLATION]\n");
    return 2;
  }
  dragoman_options* options = dragoman_options_new();
  if (!options) return fail();
  int failed = dragoman_options_set(options, "explain", "true") || dragoman_options_set(options, "alternatives", "3");
  failed = failed ? fail() : explain(argv[1], argv[2], options);
  if (!failed && argc == 4) failed = score(argv[1], argv[2], argv[3], options);
  dragoman_options_free(options);
  return failed;
}
