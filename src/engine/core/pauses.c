/* A thread that does nothing but sleep finds out: where it woke up far too late, no thread of the process
 * ran. A handler of SIGCONT would know neither when the process was stopped nor of a frozen group or machine.
 */
#include "pauses.h"
#include "host_clock.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_UNSHARE /* Linux 5.9; elsewhere the call fails, and nothing else changes */
#define CLOSE_RANGE_UNSHARE 2u
#endif

#define BEAT_NS  50000000
#define LEAST_NS 500000000u
/* Between readings of the host's clock: the less time is between two, the better the second tells how long.
 */
#define HOST_NS      1000000000u
#define HOST_SOON_NS 100000000u /* where somebody looks: at most 1 % of the time is spent on it */
#define STACK        (PTHREAD_STACK_MIN + 65536)

static pthread_once_t pauses_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t pauses_mutex = PTHREAD_MUTEX_INITIALIZER;
static pid_t pauses_process; /* that the thread is in; 0: in none */
static uint64_t pauses_last_ns, pauses_sum_ns, pauses_host_ns;
static struct weir_host_clock pauses_host;
void (*weir_pauses_also)(void);

/* Goes on while the machine is suspended; past a library that changes the time. */
static uint64_t pauses_clock_ns(void) {
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Whoever looks first after a pause counts it, from the last look: a phase that begins with one has no pause
 * that is longer than itself. */
static uint64_t pauses_look(uint64_t host_every_ns) {
    pthread_mutex_lock(&pauses_mutex);
    uint64_t now_ns = pauses_clock_ns(), gap_ns = now_ns - pauses_last_ns;
    struct weir_host_reading reading;
    if (gap_ns >= LEAST_NS) {
        pauses_sum_ns += gap_ns;
    }
    pauses_last_ns = now_ns;
    if (now_ns - pauses_host_ns >= host_every_ns) {
        pauses_host_ns = now_ns;
        if (weir_host_clock_read(&reading)) {
            pauses_sum_ns += weir_host_clock_ahead_ns(&pauses_host, &reading);
        }
    }
    uint64_t sum_ns = pauses_sum_ns;
    pthread_mutex_unlock(&pauses_mutex);
    return sum_ns;
}

/* In a process whose threads share their descriptors the kernel counts each use of one: 40 ns of each call of
 * the program. This thread has none of them, and what it opens later is its own. */
static void *pauses_beat(void *unused) {
    const struct timespec beat = {0, BEAT_NS};
    (void)unused;
#ifdef SYS_close_range
    syscall(SYS_close_range, 0u, UINT_MAX, CLOSE_RANGE_UNSHARE);
#endif
    for (;;) {
        nanosleep(&beat, NULL);
        pauses_look(HOST_NS);
        if (weir_pauses_also != NULL) {
            weir_pauses_also();
        }
    }
    return NULL;
}

static void pauses_begin(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    pauses_last_ns = pauses_clock_ns();
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's */
    if (pthread_create(&thread, &attributes, pauses_beat, NULL) == 0) {
        pauses_process = getpid();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

uint64_t weir_pauses_ns(void) {
    pthread_once(&pauses_once, pauses_begin);
    return pauses_process == getpid() ? pauses_look(HOST_SOON_NS) : 0;
}
