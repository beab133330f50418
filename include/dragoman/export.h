#ifndef DRAGOMAN_EXPORT_H
#define DRAGOMAN_EXPORT_H

/* Marks the symbols that the shared library exports; all others are hidden. */
#if defined(__GNUC__)
#define DRAGOMAN_API __attribute__((visibility("default")))
#else
#define DRAGOMAN_API
#endif

#endif
