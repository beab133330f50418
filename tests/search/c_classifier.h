#pragma once

/* The tests of classification in C. The first file is a classifier of three classes, the second a translation model.
 * Returns null if all pass, otherwise the first failure. */
#ifdef __cplusplus
extern "C"
#endif
    const char*
    check_c_classifier(const char* model, const char* translation_model);
