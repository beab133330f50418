#pragma once

/* The statements about the C interface that are made in C. Null if all hold, else the first that does not. */
#ifdef __cplusplus
extern "C"
#endif
    const char*
    check_c_interface(const char* model);
