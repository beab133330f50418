/* The same in C. */
#include <dragoman/dragoman.h>
#include <stdio.h>

int main(void) {
  puts(dragoman_version());
  dragoman_translator* translator = dragoman_open("absent.safetensors", 1);
  puts(dragoman_last_error());
  dragoman_close(translator);
  dragoman_classifier* classifier = dragoman_classifier_open("absent.safetensors", NULL);
  puts(dragoman_last_error());
  dragoman_classifier_free(classifier);
  return translator != NULL || classifier != NULL;
}
