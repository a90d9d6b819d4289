/* Lets one call on the disk fail. The test loads this into the gateway in front of the C library (LD_PRELOAD).
 *
 *   FAULT_FOLDER  only calls on files within it count
 *   FAULT_KIND    ENOSPC, EIO    the call fails; a failed sync loses the data that it was to write, as on Linux
 *                 SHORT          a write writes half
 *                 TORN           a write writes half, and the process is killed
 *                 KILL_BEFORE    the process is killed, and the call is not made
 *                 KILL_AFTER     the process is killed when the call is made
 *                 LIST           no call fails, and the log has every call
 *                 LIE            every sync from this one on does nothing and reports success
 *   FAULT_AT      the number of the call, from 1; SHORT and TORN count only writes, LIE only syncs
 *   FAULT_LOG     a file to which the failed calls are written
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum call { WRITE, SYNC, NAME };
enum fault { NONE, FAILS, HALF, HALF_AND_KILL, KILL_BEFORE, KILL_AFTER, LIES };

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int kind_is(const char *kind) { return strcmp(setting("FAULT_KIND"), kind) == 0; }

static void tell(const char *call, const char *path) {
    char line[4200];
    int length = snprintf(line, sizeof line, "%s %s\n", call, path);
    int log = REAL(open)(setting("FAULT_LOG"), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
    if (log >= 0) {
        REAL(write)(log, line, (size_t)length);
        close(log);
    }
}

/* Returns how a call fails. */
static enum fault fault(enum call kind, const char *call, const char *path) {
    static atomic_long calls;
    const char *folder = setting("FAULT_FOLDER");
    int half = kind_is("SHORT") || kind_is("TORN"), lies = kind_is("LIE");
    if (!*folder || strncmp(path, folder, strlen(folder)) != 0) return NONE;
    if (kind_is("LIST")) tell(call, path);
    if (kind_is("LIST")) return NONE;
    if ((half && kind != WRITE) || (lies && kind != SYNC)) return NONE;
    long number = atomic_fetch_add(&calls, 1) + 1, at = atol(setting("FAULT_AT"));
    if (lies) return number >= at ? LIES : NONE;
    if (number != at) return NONE;
    tell(call, path);
    if (half) return kind_is("TORN") ? HALF_AND_KILL : HALF;
    if (kind_is("KILL_BEFORE")) return KILL_BEFORE;
    if (kind_is("KILL_AFTER")) return KILL_AFTER;
    errno = kind_is("ENOSPC") ? ENOSPC : EIO;
    return FAILS;
}

static enum fault fault_of_file(enum call kind, const char *call, int file) {
    char link[64], path[4096];
    int error = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    errno = error;
    return fault(kind, call, path);
}

static enum fault fault_of_name(const char *call, const char *path) {
    char from_root[8300], here[4096] = "";
    int is_relative = *path != '/' && getcwd(here, sizeof here);
    snprintf(from_root, sizeof from_root, "%s%s%s", here, is_relative ? "/" : "", path);
    return fault(NAME, call, from_root);
}

static void killed(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* The length of each file when it was last synced, or first written to, by any handle; and 1 + the handle whose sync failed.
 * The lock is held during a sync, so that no other one that fails meanwhile takes its data away. */
#define FILES_MAX 4096
static struct synced { ino_t inode; off_t octets; int failed; } synced[FILES_MAX];
static pthread_mutex_t synced_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns what is known of a file, which is new in the table if nothing is; NULL if it is none, or the table is full. */
static struct synced *known(int file) {
    struct stat now;
    if (fstat(file, &now) != 0 || !S_ISREG(now.st_mode)) return NULL;
    for (int number = 0; number < FILES_MAX; number++) {
        struct synced *known = &synced[number];
        /* A file that is shorter than it was is another one with the number of a file that was removed. */
        int is_free = !known->inode, is_other = known->inode == now.st_ino && now.st_size < known->octets;
        if (is_free || is_other) *known = (struct synced){now.st_ino, now.st_size, 0};
        if (known->inode == now.st_ino) return known;
    }
    return NULL;
}

static void note_write(int file) {
    pthread_mutex_lock(&synced_lock);
    known(file);
    pthread_mutex_unlock(&synced_lock);
}

/* Replaces the data that was appended to a file since its last sync by zeros, as if it was never written. */
static void forget(int file, struct synced *known) {
    struct stat now;
    if (!known || fstat(file, &now) != 0) return;
    known->failed = 1 + file;
    if (now.st_size <= known->octets) return;
    REAL(ftruncate)(file, known->octets);
    REAL(ftruncate)(file, now.st_size);
}

/* Syncs a file, unless a sync failed by another handle of it: Linux reports that to each handle. */
static int synchronize(int (*sync)(int), int file, struct synced *known) {
    struct stat now;
    if (known && known->failed && known->failed != 1 + file) {
        errno = EIO;
        return -1;
    }
    int result = sync(file);
    if (known && result == 0 && fstat(file, &now) == 0) known->octets = now.st_size;
    return result;
}

#define WRITTEN(name, file, whole, half)                        \
    note_write(file);                                           \
    enum fault wrong = fault_of_file(WRITE, name, file);        \
    if (wrong == FAILS) return -1;                              \
    if (wrong == KILL_BEFORE) killed();                         \
    int halved = wrong == HALF || wrong == HALF_AND_KILL;       \
    ssize_t written = halved ? (half) : (whole);                \
    if (wrong == HALF_AND_KILL || wrong == KILL_AFTER) killed(); \
    return written;

ssize_t write(int file, const void *octets, size_t count) {
    WRITTEN("write", file, REAL(write)(file, octets, count), REAL(write)(file, octets, (count + 1) / 2))
}

ssize_t pwrite64(int file, const void *octets, size_t count, off64_t at) {
    WRITTEN("pwrite", file, REAL(pwrite64)(file, octets, count, at), REAL(pwrite64)(file, octets, (count + 1) / 2, at))
}

ssize_t pwrite(int file, const void *octets, size_t count, off_t at) { return pwrite64(file, octets, count, at); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    WRITTEN("writev", file, REAL(writev)(file, parts, count), REAL(write)(file, parts[0].iov_base, parts[0].iov_len))
}

static int synced_or_not(const char *name, int (*sync)(int), int file) {
    enum fault wrong = fault_of_file(SYNC, name, file);
    if (wrong == LIES) return 0;
    if (wrong == KILL_BEFORE) killed();
    int error = errno, result = -1;
    pthread_mutex_lock(&synced_lock);
    if (wrong == FAILS) forget(file, known(file));
    else result = synchronize(sync, file, known(file));
    pthread_mutex_unlock(&synced_lock);
    if (wrong == FAILS) errno = error;
    if (wrong == KILL_AFTER) killed();
    return result;
}

#define SYNCED(name) \
    int name(int file) { return synced_or_not(#name, REAL(name), file); }

SYNCED(fsync)
SYNCED(fdatasync)
SYNCED(syncfs)

#define NAMED(name, path, ...)                                  \
    enum fault wrong = fault_of_name(#name, path);               \
    if (wrong == FAILS) return -1;                              \
    if (wrong == KILL_BEFORE) killed();                         \
    int result = REAL(name)(__VA_ARGS__);                       \
    if (wrong == KILL_AFTER) killed();                          \
    return result;

int rename(const char *from, const char *to) { NAMED(rename, to, from, to) }
int unlink(const char *path) { NAMED(unlink, path, path) }
int mkdir(const char *path, mode_t mode) { NAMED(mkdir, path, path, mode) }

int ftruncate64(int file, off64_t octets) {
    enum fault wrong = fault_of_file(NAME, "ftruncate", file);
    if (wrong == FAILS) return -1;
    if (wrong == KILL_BEFORE) killed();
    int result = REAL(ftruncate64)(file, octets);
    if (wrong == KILL_AFTER) killed();
    return result;
}

int ftruncate(int file, off_t octets) { return ftruncate64(file, octets); }
