/* Preloaded behind libweir-witness: how long the C library took for the last call. See witness.c. */
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

double witness_inside_ns;
int witness_is_timed;

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

#define TIMED(type, name, parameters, arguments)                                                             \
    type name parameters {                                                                                   \
        static type(*next) parameters;                                                                       \
        if (next == NULL) {                                                                                  \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                                       \
        }                                                                                                    \
        if (!witness_is_timed) {                                                                             \
            return next arguments;                                                                           \
        }                                                                                                    \
        double began_ns = now_ns();                                                                          \
        type result = next arguments;                                                                        \
        witness_inside_ns = now_ns() - began_ns;                                                             \
        return result;                                                                                       \
    }

TIMED(ssize_t, pwrite, (int fd, const void *buffer, size_t size, off_t offset), (fd, buffer, size, offset))
TIMED(ssize_t, pread, (int fd, void *buffer, size_t size, off_t offset), (fd, buffer, size, offset))
TIMED(int, fsync, (int fd), (fd))
