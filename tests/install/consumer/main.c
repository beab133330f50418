/* The same in C. */
#include <dragoman/dragoman.h>
#include <stdio.h>

int main(void) {
  puts(dragoman_version());
  dragoman_translator* translator = dragoman_open("absent.safetensors", 1);
  puts(dragoman_last_error());
  dragoman_close(translator);
  return translator != NULL;
}
