/* Simulates a distant disk: a file with "far-" in its path takes 40 ms to open for reading. The test loads this into a
 * gateway in front of the C library (LD_PRELOAD).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if ((flags & O_ACCMODE) == O_RDONLY && strstr(path, "far-")) usleep(40000);
    return REAL(open64)(path, flags, mode);
}
