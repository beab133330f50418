#ifndef DRAGOMAN_H
#define DRAGOMAN_H

/* Translation for programs in C, and for everything that can call C.
 *
 *   dragoman_translator* translator = dragoman_open("model.safetensors", 0);
 *   if (!translator) { fprintf(stderr, "%s\n", dragoman_last_error()); return 1; }
 *   char* german = dragoman_translate(translator, "Where is the station?", 4);
 *   puts(german);
 *   dragoman_free(german);
 *   dragoman_close(translator);
 *
 * A translator may be used by any number of threads at once. A function that fails returns null (or -1) and leaves a
 * message for dragoman_last_error() in the same thread. All text is UTF-8 and ends with a NUL byte.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dragoman_translator dragoman_translator;

/* The program's version, "0.1.0". */
const char* dragoman_version(void);

/* Why the last call of this thread failed; empty when none has. Valid until the thread's next call. */
const char* dragoman_last_error(void);

/* Loads a model file. `threads` 0 means one per core. */
dragoman_translator* dragoman_open(const char* model_file, int threads);
void dragoman_close(dragoman_translator* translator);

/* The translation found with a beam of this width; 1 is greedy search. To be given to dragoman_free(). */
char* dragoman_translate(dragoman_translator* translator, const char* text, int beam);

/* Translates `count` texts at once, which is much faster than one by one. Fills `translations` with strings that are
 * each to be given to dragoman_free(), and returns 0; on failure fills nothing and returns -1. */
int dragoman_translate_batch(dragoman_translator* translator, const char* const* texts, int count, int beam,
                             char** translations);

void dragoman_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
