/* Aborts a process that opens a file whose name begins with "deadly". The test loads this into a gateway in front of
 * the C library (LD_PRELOAD), as a stand-in for a library that crashes on a file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static mode_t end_or_mode(const char *path, va_list rest) {
    const char *name = strrchr(path, '/');
    if (strncmp(name ? name + 1 : path, "deadly", 6) == 0) abort();
    return va_arg(rest, mode_t);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = end_or_mode(path, rest);
    va_end(rest);
    return REAL(open64)(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = end_or_mode(path, rest);
    va_end(rest);
    return REAL(open)(path, flags, mode);
}
