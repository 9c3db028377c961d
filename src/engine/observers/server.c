/* What the servers themselves report of their devices: a command that the target names (server_probe) prints
 * JSON with read_bytes and written_bytes, for one server or for several. */
#include "observer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLY_BYTES 65536

static const char *server_command(void) {
    const char *command = getenv("WEIR_SERVER_PROBE");
    return command != NULL && command[0] != '\0' ? command : NULL;
}

static bool server_fits(const struct weir_medium *medium) {
    (void)medium;
    return server_command() != NULL;
}

/* Sum over the servers; false where none reports it, or one does not know it (null). */
static bool server_sum(const char *reply, const char *key, uint64_t *sum) {
    bool found = false;
    *sum = 0;
    for (const char *at = strstr(reply, key); at != NULL; at = strstr(at + 1, key)) {
        const char *number = at + strlen(key);
        number += strspn(number, " \":");
        if (*number < '0' || *number > '9') {
            return false;
        }
        *sum += strtoull(number, NULL, 10);
        found = true;
    }
    return found;
}

static int server_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    static char reply[REPLY_BYTES];
    (void)medium;
    FILE *answer = popen(server_command(), "r");
    size_t bytes = answer != NULL ? fread(reply, 1, sizeof reply - 1, answer) : 0;
    reply[bytes] = '\0';
    bool good = answer != NULL && pclose(answer) == 0;
    return good && server_sum(reply, "\"written_bytes\"", &counts[WEIR_SERVERS_SENT]) &&
           server_sum(reply, "\"read_bytes\"", &counts[WEIR_SERVERS_RECEIVED]);
}

static bool server_begin(const struct weir_medium *medium, char what[96]) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    bool good = server_count(medium, counts) > 0;
    snprintf(what, 96, good ? "devices of the servers, by %.60s" : "%.60s did not report bytes of devices",
             server_command());
    return good;
}

static struct weir_observer server = {
    .name = "server",
    .counted = WEIR_COUNTS_DEVICES,
    .fits = server_fits,
    .begin = server_begin,
    .count = server_count,
};

WEIR_OBSERVER(server)
