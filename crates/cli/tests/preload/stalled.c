/* Simulates a disk that does not answer: a sync waits as long as the file STALLED is there. The test loads this into a
 * charging system in front of the C library (LD_PRELOAD).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void wait_for_disk(void) {
    const char *stalled = getenv("STALLED");
    while (stalled && access(stalled, F_OK) == 0) usleep(5000);
}

int fsync(int file) {
    wait_for_disk();
    return REAL(fsync)(file);
}

int fdatasync(int file) {
    wait_for_disk();
    return REAL(fdatasync)(file);
}
