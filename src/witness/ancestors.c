/* Whether this process was started by another one, directly or through others: its counts are then among
 * those that the kernel adds up for that one. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accounts.h"
#include "closing.h"

#define MOST 64

/* 0: no such process here. */
static long parent_of(long pid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    WEIR_FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    const char *name_end = strrchr(text, ')');
    long parent = 0;
    return name_end != NULL && sscanf(name_end, ") %*c %ld", &parent) == 1 ? parent : 0;
}

/* Nobody waits for it, as where the parent ignores SIGCHLD, which its children inherit: then its counts are
 * in no other's. */
bool accounts_is_forgotten(void) {
    struct sigaction action;
    return sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

bool accounts_started_by(const char *pid) {
    long wanted = pid != NULL ? strtol(pid, NULL, 10) : 0;
    long at = (long)getppid();
    for (int i = 0; i < MOST && at > 1 && wanted > 1; i++) {
        if (at == wanted) {
            return true;
        }
        at = parent_of(at);
    }
    return false;
}
