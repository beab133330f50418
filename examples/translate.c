/* Translates its arguments and shows how words are aligned:  example_c MODEL TEXT... */
#include <dragoman/dragoman.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(void) {
  fprintf(stderr, "%s\n", dragoman_last_error());
  return 1;
}

static void print_result(const dragoman_result* result) {
  for (int i = 0; i < dragoman_result_count(result); ++i) {
    printf("%s\n ", dragoman_result_text(result, i));
    for (int link = 0; link < dragoman_result_link_count(result, i); ++link) {
      int source = 0, target = 0;
      dragoman_result_link(result, i, link, &source, &target);
      printf(" %d-%d", source, target);
    }
    printf("  log probability %.4f\n", dragoman_result_log_probability(result, i));
  }
}

/* The short way: text in, text out, all texts at once. */
static int translate_texts(dragoman_translator* translator, const char* const* texts, int count) {
  char** translations = calloc((size_t)count, sizeof *translations);
  int failed = !translations || dragoman_translate_batch(translator, texts, count, 4, translations);
  for (int i = 0; !failed && i < count; ++i) {
    puts(translations[i]);
    dragoman_free(translations[i]);
  }
  free(translations);
  return failed ? fail() : 0;
}

/* The long way: the two best translations with their alignment. */
static int translate_with_alignment(dragoman_translator* translator, const char* text) {
  dragoman_options* options = dragoman_options_new();
  if (!options) return fail();
  int failed = dragoman_options_set(options, "beam", "6") || dragoman_options_set(options, "n-best", "2") ||
               dragoman_options_set(options, "alignment", "true");
  dragoman_result* result = failed ? NULL : dragoman_translate_with(translator, text, options);
  dragoman_options_free(options);
  if (!result) return fail();
  print_result(result);
  dragoman_result_free(result);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: example_c MODEL TEXT...\n");
    return 2;
  }
  dragoman_translator* translator = dragoman_open(argv[1], 0);
  if (!translator) return fail();
  int failed = translate_texts(translator, (const char* const*)argv + 2, argc - 2) ||
               translate_with_alignment(translator, argv[2]);
  dragoman_close(translator);
  return failed;
}
