// Makes system calls and allocations of a program fail. Loaded before the C library (LD_PRELOAD); DRAGOMAN_FAULT says
// what fails, from the start of main() on:
//   allocation:N   the N-th allocation of a page or more
//   full:N         the N-th write to a regular file and all later ones: no space left on the device
//   sealed:NAME    every change of a file or folder whose path contains NAME: a read-only file system
//   ragged:SEED    reads and writes end early or are interrupted by a signal, at random
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static enum { nothing, allocation, full, sealed, ragged } fault = nothing;
static uint64_t number;   // N or SEED
static const char* name;  // NAME
static atomic_ullong calls;

static void choose_fault(void) {
  const char* const text = getenv("DRAGOMAN_FAULT");
  if (text == NULL || strchr(text, ':') == NULL) return;
  name = strchr(text, ':') + 1;
  number = strtoull(name, NULL, 10);
  if (strncmp(text, "allocation", 10) == 0) fault = allocation;
  if (strncmp(text, "full", 4) == 0) fault = full;
  if (strncmp(text, "sealed", 6) == 0) fault = sealed;
  if (strncmp(text, "ragged", 6) == 0) fault = ragged;
}

// The start of the program: what the loader and static initialisers do before is left alone.
static int (*program)(int, char**, char**);
static int start(int count, char** words, char** environment) {
  choose_fault();
  return program(count, words, environment);
}
int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(void),
                      void (*finish)(void), void (*loader_finish)(void), void* stack) {
  extern void* dlsym(void*, const char*);
  int (*const real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) =
      (int (*)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*))dlsym(
          (void*)-1, "__libc_start_main");
  program = main;
  return real(start, count, words, init, finish, loader_finish, stack);
}

// Allocations

// Smaller allocations are served from memory that the process has already. (Some of them must not fail: the destructors
// of the JSON library allocate.)
static const size_t kPage = 4096;

static int allocation_fails(size_t size) {
  if (fault != allocation || size < kPage || atomic_fetch_add(&calls, 1) + 1 != number) return 0;
  errno = ENOMEM;
  return 1;
}

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) { return allocation_fails(size) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return allocation_fails(count * size) ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return allocation_fails(size) ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails(size) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  if (allocation_fails(size)) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == NULL ? ENOMEM : 0;
}

// Reads and writes

// SplitMix64 (Steele, Lea, Flood 2014) of the seed and the number of the call.
static uint64_t draw(void) {
  uint64_t x = number * 0x9E3779B97F4A7C15u + atomic_fetch_add(&calls, 1) * 0xD1B54A32D192ED03u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static int is_regular(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

// How many of `size` bytes to transfer; -1 if the call fails with errno.
static ssize_t permitted(size_t size) {
  if (fault != ragged || size == 0) return (ssize_t)size;
  const uint64_t chance = draw();
  switch (chance % 4) {
    case 0: errno = EINTR; return -1;
    case 1: return (ssize_t)(1 + (chance >> 8) % size);
    default: return (ssize_t)size;
  }
}

static ssize_t permitted_write(int file, size_t size) {
  if (fault == full && is_regular(file) && atomic_fetch_add(&calls, 1) + 1 >= number) {
    errno = ENOSPC;
    return -1;
  }
  return permitted(size);
}

ssize_t read(int file, void* bytes, size_t size) {
  const ssize_t count = permitted(size);
  return count < 0 ? count : syscall(SYS_read, file, bytes, count);
}
ssize_t pread(int file, void* bytes, size_t size, off_t begin) {
  const ssize_t count = permitted(size);
  return count < 0 ? count : syscall(SYS_pread64, file, bytes, count, begin);
}
ssize_t pread64(int file, void* bytes, size_t size, off_t begin) { return pread(file, bytes, size, begin); }

ssize_t write(int file, const void* bytes, size_t size) {
  const ssize_t count = permitted_write(file, size);
  return count < 0 ? count : syscall(SYS_write, file, bytes, count);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t begin) {
  const ssize_t count = permitted_write(file, size);
  return count < 0 ? count : syscall(SYS_pwrite64, file, bytes, count, begin);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off_t begin) { return pwrite(file, bytes, size, begin); }
ssize_t writev(int file, const struct iovec* parts, int count) {
  if (permitted_write(file, 1) < 0) return -1;
  return syscall(SYS_writev, file, parts, fault == ragged ? 1 : count);
}

// Changes of files and folders

static int is_sealed(const char* path) {
  if (fault != sealed || strstr(path, name) == NULL) return 0;
  errno = EROFS;
  return 1;
}

static int open_in(int folder, const char* path, int flags, va_list more) {
  const int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
  if (writes && is_sealed(path)) return -1;
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define OPEN(folder, last)                             \
  va_list more;                                        \
  va_start(more, last);                                \
  const int file = open_in(folder, path, flags, more); \
  va_end(more);                                        \
  return file

int open(const char* path, int flags, ...) { OPEN(AT_FDCWD, flags); }
int open64(const char* path, int flags, ...) { OPEN(AT_FDCWD, flags); }
int openat(int folder, const char* path, int flags, ...) { OPEN(folder, flags); }
int openat64(int folder, const char* path, int flags, ...) { OPEN(folder, flags); }

int mkdir(const char* path, mode_t mode) {
  return is_sealed(path) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
int unlink(const char* path) { return is_sealed(path) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0); }
int rename(const char* from, const char* to) {
  return is_sealed(from) || is_sealed(to) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
FILE* fopen(const char* path, const char* mode) {
  extern FILE* fopen64(const char*, const char*);
  if (strpbrk(mode, "wa+") != NULL && is_sealed(path)) return NULL;
  return fopen64(path, mode);
}
