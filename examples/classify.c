/* Labels its arguments:  example_classify_c MODEL TEXT... */
#include <dragoman/dragoman.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(void) {
  fprintf(stderr, "%s\n", dragoman_last_error());
  return 1;
}

/* All texts at once: the likeliest label of each with its probability; none for a blank text. */
static int classify_texts(dragoman_classifier* classifier, const char* const* texts, int count) {
  dragoman_classification** results = calloc((size_t)count, sizeof *results);
  int failed = !results || dragoman_classifier_classify_batch(classifier, texts, count, 1, results);
  for (int i = 0; !failed && i < count; ++i) {
    if (dragoman_classification_count(results[i]) > 0)
      printf("%s %.4f", dragoman_classification_label(results[i], 0),
             dragoman_classification_probability(results[i], 0));
    printf("\n");
    dragoman_classification_free(results[i]);
  }
  free(results);
  return failed ? fail() : 0;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: example_classify_c MODEL TEXT...\n");
    return 2;
  }
  dragoman_classifier* classifier = dragoman_classifier_open(argv[1], NULL);
  if (!classifier) return fail();
  int failed = classify_texts(classifier, (const char* const*)argv + 2, argc - 2);
  dragoman_classifier_free(classifier);
  return failed;
}
