#ifndef DRAGOMAN_EXPORT_H
#define DRAGOMAN_EXPORT_H

/* Marks what the shared library exports; everything else in it is hidden. */
#if defined(__GNUC__)
#define DRAGOMAN_API __attribute__((visibility("default")))
#else
#define DRAGOMAN_API
#endif

#endif
