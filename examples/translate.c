/* Translates its arguments:  example_c MODEL TEXT... */
#include <dragoman/dragoman.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: example_c MODEL TEXT...\n");
    return 2;
  }
  dragoman_translator* translator = dragoman_open(argv[1], 0);
  if (!translator) {
    fprintf(stderr, "%s\n", dragoman_last_error());
    return 1;
  }
  const int count = argc - 2;
  char** translations = calloc((size_t)count, sizeof *translations);
  int failed =
      !translations || dragoman_translate_batch(translator, (const char* const*)argv + 2, count, 4, translations);
  if (failed) fprintf(stderr, "%s\n", dragoman_last_error());
  for (int i = 0; !failed && i < count; ++i) {
    puts(translations[i]);
    dragoman_free(translations[i]);
  }
  free(translations);
  dragoman_close(translator);
  return failed;
}
