#ifndef DRAGOMAN_H
#define DRAGOMAN_H

/* Translation, scoring and classification from C, and from any language that can call C.
 *
 *   dragoman_translator* translator = dragoman_open("model.safetensors", 0);
 *   if (!translator) { fprintf(stderr, "%s\n", dragoman_last_error()); return 1; }
 *   char* german = dragoman_translate(translator, "Where is the station?", 4);
 *   puts(german);
 *   dragoman_free(german);
 *   dragoman_close(translator);
 *
 * A translator may be used by any number of threads at once; options and results by one thread at a time. A function
 * that fails returns null (or -1), and dragoman_last_error() gives the reason in the same thread. All text is UTF-8 and
 * ends with a NUL byte. Options and results are opaque handles, so that later versions can add fields compatibly.
 */

#include "dragoman/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dragoman_translator dragoman_translator;
typedef struct dragoman_options dragoman_options;
typedef struct dragoman_request dragoman_request;
typedef struct dragoman_result dragoman_result;
typedef struct dragoman_explanation dragoman_explanation;
typedef struct dragoman_tree dragoman_tree;
typedef struct dragoman_metric_score dragoman_metric_score;
typedef struct dragoman_scorer dragoman_scorer;
typedef struct dragoman_scored dragoman_scored;
typedef struct dragoman_classifier dragoman_classifier;
typedef struct dragoman_classification dragoman_classification;

/* The version of the library, such as "0.2.0". */
DRAGOMAN_API const char* dragoman_version(void);

/* The reason why this thread's last call failed; empty if it succeeded. Valid until the thread's next call. */
DRAGOMAN_API const char* dragoman_last_error(void);

/* ---- Text in, text out ---- */

/* Loads a model file, on a GPU if there is one (dragoman_open_with chooses the device). `threads` 0 means one per core.
 */
DRAGOMAN_API dragoman_translator* dragoman_open(const char* model_file, int threads);
DRAGOMAN_API void dragoman_close(dragoman_translator* translator);

/* The translation found with a beam of this width; 1 is greedy search. Release it with dragoman_free(). */
DRAGOMAN_API char* dragoman_translate(dragoman_translator* translator, const char* text, int beam);

/* Translates `count` texts at once, which is much faster than one by one. Fills `translations` with strings, each to be
 * released with dragoman_free(), and returns 0. On failure leaves `translations` as it is and returns -1. */
DRAGOMAN_API int dragoman_translate_batch(dragoman_translator* translator, const char* const* texts, int count,
                                          int beam, char** translations);

DRAGOMAN_API void dragoman_free(char* text);

/* ---- Options ---- */

/* Options by name, as `dragoman translate --help` lists them: "beam", "n-best", "ranking", "sample", "seed", ... for
 * translating; "device", "precision", "threads", "workers", "batch", "max-input-tokens", "long-lines", "shortlist", ...
 * for opening. These select what a result contains beside the text: "token-scores", "alignment", "attention", "tree",
 * and "explain" with "alternatives" likely tokens per place. */
DRAGOMAN_API dragoman_options* dragoman_options_new(void);
DRAGOMAN_API void dragoman_options_free(dragoman_options* options);

/* Sets one option from text: ("beam", "6"), ("device", "cuda:1"), ("alignment", "true"). Returns 0, or -1 if there is
 * no such option or the value is invalid. */
DRAGOMAN_API int dragoman_options_set(dragoman_options* options, const char* name, const char* value);
/* The value as text, to be released with dragoman_free(). */
DRAGOMAN_API char* dragoman_options_get(const dragoman_options* options, const char* name);

/* Loads one model file, or several as an ensemble. `options` may be null. */
DRAGOMAN_API dragoman_translator* dragoman_open_with(const char* const* model_files, int count,
                                                     const dragoman_options* options);

/* The languages that the option "to" chooses from; 0 of them for a model that translates into one. The text is valid
 * until the translator is closed. */
DRAGOMAN_API int dragoman_translator_language_count(const dragoman_translator* translator);
DRAGOMAN_API const char* dragoman_translator_language(const dragoman_translator* translator, int language);
/* 1 if the options "alignment" and "replace-unknown" are possible, 0 if not. */
DRAGOMAN_API int dragoman_translator_aligns(const dragoman_translator* translator);

/* ---- Requests ---- */

/* A text with its constraints. `text` may be null if the source is given as tokens. */
DRAGOMAN_API dragoman_request* dragoman_request_new(const char* text);
DRAGOMAN_API void dragoman_request_free(dragoman_request* request);

/* Each returns 0, or -1 if a pointer is null. The source as tokens of the model's vocabulary, instead of its text: */
DRAGOMAN_API int dragoman_request_set_tokens(dragoman_request* request, const char* const* tokens, int count);
/* The translation begins with this text, or with these tokens. */
DRAGOMAN_API int dragoman_request_set_prefix(dragoman_request* request, const char* prefix);
DRAGOMAN_API int dragoman_request_set_prefix_tokens(dragoman_request* request, const char* const* tokens, int count);
/* If the source contains `source`, the translation contains `target`. */
DRAGOMAN_API int dragoman_request_add_term(dragoman_request* request, const char* source, const char* target);
/* The translation does not contain this word. */
DRAGOMAN_API int dragoman_request_ban(dragoman_request* request, const char* word);
/* The target language, instead of the option "to". */
DRAGOMAN_API int dragoman_request_set_language(dragoman_request* request, const char* language);
/* The source language, instead of the option "from". */
DRAGOMAN_API int dragoman_request_set_source_language(dragoman_request* request, const char* language);

/* As dragoman_translate_with() and dragoman_translate_batch_with(). */
DRAGOMAN_API dragoman_result* dragoman_translate_request(dragoman_translator* translator,
                                                         const dragoman_request* request,
                                                         const dragoman_options* options);
DRAGOMAN_API int dragoman_translate_requests(dragoman_translator* translator, const dragoman_request* const* requests,
                                             int count, const dragoman_options* options, dragoman_result** results);

/* ---- Results ---- */

/* Translates with options, which may be null. Release the result with dragoman_result_free(). */
DRAGOMAN_API dragoman_result* dragoman_translate_with(dragoman_translator* translator, const char* text,
                                                      const dragoman_options* options);
/* Fills `results` with `count` results and returns 0. On failure leaves `results` as it is and returns -1. */
DRAGOMAN_API int dragoman_translate_batch_with(dragoman_translator* translator, const char* const* texts, int count,
                                               const dragoman_options* options, dragoman_result** results);
DRAGOMAN_API void dragoman_result_free(dragoman_result* result);

/* The number of translations; they are ordered best first. Pointers returned below stay valid until the result is
 * released. An index out of range is a failure: null, -1 or, for scores, NaN. */
DRAGOMAN_API int dragoman_result_count(const dragoman_result* result);
DRAGOMAN_API const char* dragoman_result_text(const dragoman_result* result, int translation);
/* The score by which the search ranked the translation, and its log probability. */
DRAGOMAN_API double dragoman_result_score(const dragoman_result* result, int translation);
DRAGOMAN_API double dragoman_result_log_probability(const dragoman_result* result, int translation);

/* Tokens of a translation. With "token-scores", each has a log probability; the one after the last token is that of the
 * end-of-sentence token. */
DRAGOMAN_API int dragoman_result_token_count(const dragoman_result* result, int translation);
DRAGOMAN_API const char* dragoman_result_token(const dragoman_result* result, int translation, int token);
DRAGOMAN_API double dragoman_result_token_score(const dragoman_result* result, int translation, int token);

/* Tokens of the source. */
DRAGOMAN_API int dragoman_result_source_token_count(const dragoman_result* result);
DRAGOMAN_API const char* dragoman_result_source_token(const dragoman_result* result, int token);

/* With "alignment": the links between source and target words, counted from 0. */
DRAGOMAN_API int dragoman_result_link_count(const dragoman_result* result, int translation);
DRAGOMAN_API int dragoman_result_link(const dragoman_result* result, int translation, int link, int* source,
                                      int* target);

/* With "alignment": the same between bytes. Bytes [*source_begin, *source_end) of the text and bytes [*target_begin,
 * *target_end) of the translation correspond. */
DRAGOMAN_API int dragoman_result_span_count(const dragoman_result* result, int translation);
DRAGOMAN_API int dragoman_result_span(const dragoman_result* result, int translation, int span, int* source_begin,
                                      int* source_end, int* target_begin, int* target_end);

/* The number of parts that a long text was split into. */
DRAGOMAN_API int dragoman_result_part_count(const dragoman_result* result);

/* With "attention": this token's weights over the source tokens; `*count` receives their number. If the text was split,
 * they cover only the source tokens of the token's own part. */
DRAGOMAN_API const float* dragoman_result_attention(const dragoman_result* result, int translation, int token,
                                                    int* count);

/* With "attention", for models that attend to their own past: this token's weights over the decoder's initial state and
 * over the states that wrote the previous tokens of its part, `token` + 1 weights if the text was not split. Null for
 * other models. */
DRAGOMAN_API const float* dragoman_result_past_attention(const dragoman_result* result, int translation, int token,
                                                         int* count);

/* With "tree": all hypotheses that were ever in the beam. With "explain": one explanation per part, none for a blank
 * text. Both belong to the result. */
DRAGOMAN_API const dragoman_tree* dragoman_result_tree(const dragoman_result* result);
DRAGOMAN_API int dragoman_result_explanation_count(const dragoman_result* result);
DRAGOMAN_API const dragoman_explanation* dragoman_result_explanation(const dragoman_result* result, int part);

/* ---- Explanations of the best translation ---- */

DRAGOMAN_API const char* dragoman_explanation_source(const dragoman_explanation* explanation);
DRAGOMAN_API const char* dragoman_explanation_text(const dragoman_explanation* explanation);

/* Tokens of the source, marks included, and written tokens; the last of these is the end-of-sentence token. `*begin`
 * and
 * `*end` receive the bytes of the text, `*word` the index of the word between spaces, or -1. Each may be null. */
DRAGOMAN_API int dragoman_explanation_source_token_count(const dragoman_explanation* explanation);
DRAGOMAN_API const char* dragoman_explanation_source_token(const dragoman_explanation* explanation, int token,
                                                           int* begin, int* end, int* word);
DRAGOMAN_API int dragoman_explanation_token_count(const dragoman_explanation* explanation);
DRAGOMAN_API const char* dragoman_explanation_token(const dragoman_explanation* explanation, int token, int* begin,
                                                    int* end, int* word);
/* Log probability; NaN for a statistical model. */
DRAGOMAN_API double dragoman_explanation_token_score(const dragoman_explanation* explanation, int token);

/* The likeliest tokens at the place of a written token, best first. `*probability` may be null. The prefix is the text
 * of the translation up to the alternative: with it as the prefix of a request, the model translates the rest anew. */
DRAGOMAN_API int dragoman_explanation_alternative_count(const dragoman_explanation* explanation, int token);
DRAGOMAN_API const char* dragoman_explanation_alternative(const dragoman_explanation* explanation, int token,
                                                          int alternative, double* probability);
DRAGOMAN_API const char* dragoman_explanation_alternative_prefix(const dragoman_explanation* explanation, int token,
                                                                 int alternative);

/* Links between source and target words. */
DRAGOMAN_API int dragoman_explanation_link_count(const dragoman_explanation* explanation);
DRAGOMAN_API int dragoman_explanation_link(const dragoman_explanation* explanation, int link, int* source, int* target);

/* Attention layers. The kind is "encoder" (source tokens to source tokens), "source" (written tokens to source tokens)
 * or "past" (written tokens to the beginning of the sentence and the written tokens before them). `mixtures` is 1 if
 * the columns have no place in the text (Linformer). A row of weights belongs to one token and sums to 1. */
DRAGOMAN_API int dragoman_explanation_layer_count(const dragoman_explanation* explanation);
DRAGOMAN_API const char* dragoman_explanation_layer_kind(const dragoman_explanation* explanation, int layer);
DRAGOMAN_API const char* dragoman_explanation_layer_name(const dragoman_explanation* explanation, int layer);
DRAGOMAN_API int dragoman_explanation_layer_mixtures(const dragoman_explanation* explanation, int layer);
DRAGOMAN_API int dragoman_explanation_head_count(const dragoman_explanation* explanation, int layer);
DRAGOMAN_API int dragoman_explanation_row_count(const dragoman_explanation* explanation, int layer, int head);
DRAGOMAN_API const float* dragoman_explanation_weights(const dragoman_explanation* explanation, int layer, int head,
                                                       int row, int* count);
DRAGOMAN_API const dragoman_tree* dragoman_explanation_tree(const dragoman_explanation* explanation);

/* A tree of hypotheses. Parents come before their children; the parent of the root is -1, and -2 is a failure. `best`
 * is 1 on the path to the best translation. */
DRAGOMAN_API int dragoman_tree_size(const dragoman_tree* tree);
DRAGOMAN_API const char* dragoman_tree_token(const dragoman_tree* tree, int node);
DRAGOMAN_API int dragoman_tree_parent(const dragoman_tree* tree, int node);
DRAGOMAN_API double dragoman_tree_log_probability(const dragoman_tree* tree, int node);
DRAGOMAN_API double dragoman_tree_score(const dragoman_tree* tree, int node);
DRAGOMAN_API int dragoman_tree_finished(const dragoman_tree* tree, int node);
DRAGOMAN_API int dragoman_tree_best(const dragoman_tree* tree, int node);

/* ---- Documents ---- */

/* A document with its text translated and its markup kept, to be released with dragoman_free(). `format` is "text",
 * "html", "xml", "srt" (subtitles), "po" (message catalogues) or "markdown". `options` may be null. */
DRAGOMAN_API char* dragoman_translate_document(dragoman_translator* translator, const char* document,
                                               const char* format, const dragoman_options* options);

/* ---- Scores of translations by comparison with references ---- */

/* `metric` is "bleu", "chrf", "chrf++" or "ter". There are `count` hypotheses and `sets` arrays of `count` references.
 * Release the result with dragoman_metric_score_free(). */
DRAGOMAN_API dragoman_metric_score* dragoman_evaluate(const char* metric, const char* const* hypotheses, int count,
                                                      const char* const* const* references, int sets);
DRAGOMAN_API void dragoman_metric_score_free(dragoman_metric_score* score);
/* From 0 to 100 (a TER may be higher); NaN on failure. */
DRAGOMAN_API double dragoman_metric_score_value(const dragoman_metric_score* score);
/* The name for display, such as "chrF2++", and the settings that make the score reproducible. Valid until the score is
 * released. */
DRAGOMAN_API const char* dragoman_metric_score_name(const dragoman_metric_score* score);
DRAGOMAN_API const char* dragoman_metric_score_signature(const dragoman_metric_score* score);

/* ---- Scores of given translations ---- */

/* Loads a translation model for scoring. `options` may be null; opening uses "device", "precision" and "threads",
 * scoring "alignment", "to" and "from". Any number of threads may use a scorer at once. */
DRAGOMAN_API dragoman_scorer* dragoman_scorer_open(const char* model_file, const dragoman_options* options);
DRAGOMAN_API void dragoman_scorer_free(dragoman_scorer* scorer);

/* Release the result with dragoman_scored_free(). */
DRAGOMAN_API dragoman_scored* dragoman_scorer_score(dragoman_scorer* scorer, const char* source, const char* target,
                                                    const dragoman_options* options);
/* Scores `count` pairs at once. Fills `results` and returns 0. On failure leaves `results` as it is and returns -1. */
DRAGOMAN_API int dragoman_scorer_score_batch(dragoman_scorer* scorer, const char* const* sources,
                                             const char* const* targets, int count, const dragoman_options* options,
                                             dragoman_scored** results);
DRAGOMAN_API void dragoman_scored_free(dragoman_scored* scored);

/* The log probability of the translation, its tokens and theirs; the score after the last token is that of the
 * end-of-sentence token. With "alignment": each target word with the source word it attended to most. */
DRAGOMAN_API double dragoman_scored_log_probability(const dragoman_scored* scored);
DRAGOMAN_API int dragoman_scored_token_count(const dragoman_scored* scored);
DRAGOMAN_API const char* dragoman_scored_token(const dragoman_scored* scored, int token);
DRAGOMAN_API double dragoman_scored_token_score(const dragoman_scored* scored, int token);
DRAGOMAN_API int dragoman_scored_link_count(const dragoman_scored* scored);
DRAGOMAN_API int dragoman_scored_link(const dragoman_scored* scored, int link, int* source, int* target);

/* ---- Classification ---- */

/* Loads a classifier, trained with `dragoman train --task classify`. `options` may be null; of the options,
 * classification uses "device", "precision", "threads", "batch" and "max-input-tokens" (longer texts are truncated; 0
 * means the model's limit, at most 1024). Any number of threads may use a classifier at once. */
DRAGOMAN_API dragoman_classifier* dragoman_classifier_open(const char* model_file, const dragoman_options* options);
DRAGOMAN_API void dragoman_classifier_free(dragoman_classifier* classifier);

/* The labels of the model, in the order of its classes. Valid until the classifier is released. */
DRAGOMAN_API int dragoman_classifier_label_count(const dragoman_classifier* classifier);
DRAGOMAN_API const char* dragoman_classifier_label(const dragoman_classifier* classifier, int label);

/* The `top` likeliest labels of a text; 0 means all. Release the result with dragoman_classification_free(). */
DRAGOMAN_API dragoman_classification* dragoman_classifier_classify(dragoman_classifier* classifier, const char* text,
                                                                   int top);
/* Classifies `count` texts at once, which is much faster than one by one. Fills `results` with `count` results and
 * returns 0. On failure leaves `results` as it is and returns -1. */
DRAGOMAN_API int dragoman_classifier_classify_batch(dragoman_classifier* classifier, const char* const* texts,
                                                    int count, int top, dragoman_classification** results);
DRAGOMAN_API void dragoman_classification_free(dragoman_classification* classification);

/* The number of labels in a result, likeliest first; 0 for a blank text. Pointers returned below stay valid until the
 * result is released. An index out of range is a failure: null or NaN. */
DRAGOMAN_API int dragoman_classification_count(const dragoman_classification* classification);
DRAGOMAN_API const char* dragoman_classification_label(const dragoman_classification* classification, int index);
DRAGOMAN_API double dragoman_classification_probability(const dragoman_classification* classification, int index);
/* 1 if the text was longer than the limit, so that only its first tokens were classified; otherwise 0. */
DRAGOMAN_API int dragoman_classification_truncated(const dragoman_classification* classification);

#ifdef __cplusplus
}
#endif

#endif
