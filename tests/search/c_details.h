#pragma once

/* The tests of the C interface that are written in C. Returns null if all pass, otherwise the first failure. */
#ifdef __cplusplus
extern "C"
#endif
    const char*
    check_c_details(const char* model);
