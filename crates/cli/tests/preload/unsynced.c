/* Lets each sync of a file with "unsynced" in its path fail. The test loads this into a gateway in front of the C
 * library (LD_PRELOAD), as a stand-in for a disk that fails.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_unsynced(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "unsynced") != NULL;
}

int fsync(int file) {
    if (is_unsynced(file)) return errno = EIO, -1;
    return REAL(fsync)(file);
}

int fdatasync(int file) {
    if (is_unsynced(file)) return errno = EIO, -1;
    return REAL(fdatasync)(file);
}
