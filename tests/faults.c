/* Fails or kills at the n-th step that changes files below a folder: loaded by LD_PRELOAD.

   A step is a write, a sync, a rename, an exchange, a new name or a removed one. Arm it with
   `fault_arm`; until then, and after the step, every call does what it always does. The clock can
   be set back too. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char below[PATH_MAX];
static size_t below_size;
static long at;
static int error_number; /* 0: kill */
static atomic_long done;
static atomic_int hit;

void fault_arm(const char *folder, long step, int number)
{
    strncpy(below, folder, sizeof below - 1);
    below_size = strlen(below);
    error_number = number;
    atomic_store(&done, 0);
    atomic_store(&hit, 0);
    at = step;
}

int fault_hit(void) { return atomic_load(&hit); }

long fault_done(void) { return atomic_load(&done); }

static int is_below(const char *path)
{
    char here[PATH_MAX];
    if (path[0] != '/')
        path = getcwd(here, sizeof here);
    return path && !strncmp(path, below, below_size);
}

/* Count a step; return whether it is to fail. */
static int fails(const char *path)
{
    if (!at || !path || !is_below(path))
        return 0;
    if (atomic_fetch_add(&done, 1) + 1 != at)
        return 0;
    atomic_store(&hit, 1);
    if (!error_number)
        kill(getpid(), SIGKILL);
    errno = error_number;
    return 1;
}

static int fails_at(int descriptor)
{
    char link[64], path[PATH_MAX];
    struct stat found;
    if (!at || fstat(descriptor, &found) || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0)
        return 0;
    path[size] = 0;
    return fails(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void *data, size_t size)
{
    return fails_at(descriptor) ? -1 : REAL(write)(descriptor, data, size);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t where)
{
    return fails_at(descriptor) ? -1 : REAL(pwrite)(descriptor, data, size, where);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t where)
{
    return fails_at(descriptor) ? -1 : REAL(pwrite64)(descriptor, data, size, where);
}

int fsync(int descriptor) { return fails_at(descriptor) ? -1 : REAL(fsync)(descriptor); }

int rename(const char *from, const char *to) { return fails(to) ? -1 : REAL(rename)(from, to); }

int renameat2(int one, const char *from, int other, const char *to, unsigned int flags)
{
    return fails(to) ? -1 : REAL(renameat2)(one, from, other, to, flags);
}

int mkdir(const char *path, mode_t mode) { return fails(path) ? -1 : REAL(mkdir)(path, mode); }

int unlink(const char *path) { return fails(path) ? -1 : REAL(unlink)(path); }

int rmdir(const char *path) { return fails(path) ? -1 : REAL(rmdir)(path); }

static int opened(const char *path, int flags, mode_t mode)
{
    int creates = flags & O_CREAT;
    return creates && fails(path) ? -1 : REAL(open64)(path, flags, mode);
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = va_arg(rest, mode_t);                                                        \
        va_end(rest);                                                                              \
        return opened(path, flags, mode);                                                          \
    }
OPEN(open)
OPEN(open64)

/* With CLOCK_BACK each look at the clock finds it so many seconds further back. */
int clock_gettime(clockid_t clock, struct timespec *found)
{
    static atomic_long looks;
    int code = REAL(clock_gettime)(clock, found);
    const char *back = getenv("CLOCK_BACK");
    if (!code && back && clock == CLOCK_REALTIME)
        found->tv_sec -= atol(back) * atomic_fetch_add(&looks, 1);
    return code;
}
