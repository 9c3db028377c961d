#include "host_clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define CLOCK      "/sys/class/rtc/rtc0/since_epoch"
#define SECOND_NS  1000000000
#define LEAST_NS   (SECOND_NS / 2)
#define DRIFT      1000 /* its part of the time: twice what NTP adjusts a clock by */
#define HYPERVISOR (1u << 31)

/* Past libraries that provide these calls or change the time. */
static int64_t host_clock_now_ns(clockid_t which) {
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, which, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

uint64_t weir_raw_clock_ns(void) {
    return (uint64_t)host_clock_now_ns(CLOCK_MONOTONIC_RAW);
}

/* A clock of a real machine is slow to read, and nobody stops that machine with its clocks. */
static bool host_clock_has_host(void) {
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & HYPERVISOR) != 0;
#else
    return false;
#endif
}

bool weir_host_clock_read(struct weir_host_reading *reading) {
    char text[32];
    if (!host_clock_has_host()) {
        return false;
    }
    reading->before_ns = (uint64_t)host_clock_now_ns(CLOCK_BOOTTIME);
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, CLOCK, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    long length = syscall(SYS_read, descriptor, text, sizeof text - 1);
    syscall(SYS_close, descriptor);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    reading->seconds = atoll(text);
    reading->after_ns = (uint64_t)host_clock_now_ns(CLOCK_BOOTTIME);
    reading->wall_s = host_clock_now_ns(CLOCK_REALTIME) / SECOND_NS;
    return true;
}

uint64_t weir_host_clock_ahead_ns(struct weir_host_clock *clock, const struct weir_host_reading *reading) {
    int64_t least_ns = reading->seconds * SECOND_NS - (int64_t)reading->after_ns;
    int64_t most_ns = (reading->seconds + 1) * SECOND_NS - (int64_t)reading->before_ns;
    int64_t known_ns = clock->most_ns + (int64_t)(reading->after_ns - clock->latest_ns) / DRIFT;
    int64_t ahead_ns = clock->known ? least_ns - known_ns : 0;
    bool agrees = llabs(reading->wall_s - reading->seconds) <= 1;
    bool was_set = agrees && !clock->agreed;
    bool goes_on = clock->known && ahead_ns <= 0 && known_ns < most_ns;
    *clock = (struct weir_host_clock){true, agrees, goes_on ? known_ns : most_ns, reading->after_ns};
    return ahead_ns >= LEAST_NS && !was_set ? (uint64_t)ahead_ns : 0;
}
