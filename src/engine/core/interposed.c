#include "interposed.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const calls[] = {
    "open",   "open64",          "openat",        "openat64",      "close",   "read",           "write",
    "pread",  "pread64",         "pwrite",        "pwrite64",      "lseek64", "fsync",          "fdatasync",
    "syncfs", "sync_file_range", "posix_fadvise", "fcntl",         "fcntl64", "mmap",           "msync",
    "stat",   "fstat",           "ftruncate",     "clock_gettime", "unlink",  "posix_fadvise64"};

static bool interposed_is_system(const char *object) {
    static const char *const names[] = {"libc.so", "libc-",      "ld-linux",
                                        "ld-musl", "linux-vdso", "libpthread"};
    const char *slash = strrchr(object, '/');
    const char *base = slash != NULL ? slash + 1 : object;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(base, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* A line of more whose text is not there yet. */
static void interposed_add_line(char *text, const char *line, size_t length) {
    size_t used = strlen(text);
    for (const char *at = text; (at = strstr(at, line)) != NULL; at++) {
        if ((at == text || at[-1] == '\n') && at[length] == '\n') {
            return;
        }
    }
    if (used + length + 2 < WEIR_INTERPOSED_BYTES) {
        memcpy(text + used, line, length);
        memcpy(text + used + length, "\n", 2);
    }
}

/* An audit library of the dynamic linker replaces calls without their symbols showing it. */
static void interposed_look_at_linker(char *text) {
    char line[512];
    const char *audit = getenv("LD_AUDIT");
    if (audit != NULL && audit[0] != '\0') {
        interposed_add_line(text, line, (size_t)snprintf(line, sizeof line, "LD_AUDIT %.400s", audit));
    }
}

/* A tracer can answer any call of the system itself. */
static void interposed_look_at_tracer(char *text) {
    char line[64], status[4096];
    unsigned tracer = 0;
    int descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor >= 0 ? read(descriptor, status, sizeof status - 1) : 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    status[length > 0 ? length : 0] = '\0';
    const char *found = strstr(status, "\nTracerPid:");
    if (found != NULL && sscanf(found, " TracerPid: %u", &tracer) == 1 && tracer != 0) {
        interposed_add_line(text, line, (size_t)snprintf(line, sizeof line, "ptrace process %u", tracer));
    }
}

static void interposed_look(char text[WEIR_INTERPOSED_BYTES]) {
    char line[512];
    Dl_info info;
    text[0] = '\0';
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *address = dlsym(RTLD_DEFAULT, calls[i]);
        if (address != NULL && dladdr(address, &info) != 0 && info.dli_fname != NULL &&
            !interposed_is_system(info.dli_fname)) {
            int length = snprintf(line, sizeof line, "%s %.400s", calls[i], info.dli_fname);
            interposed_add_line(text, line, (size_t)length);
        }
    }
    interposed_look_at_linker(text);
}

void weir_interposed_find(const struct weir_job *job, char text[WEIR_INTERPOSED_BYTES]) {
    static char found[WEIR_INTERPOSED_BYTES];
    static bool looked;
    if (!looked) { /* once: what is loaded later comes behind the C library, and a look searches all symbols
                    */
        interposed_look(found);
        looked = true;
    }
    char mine[WEIR_INTERPOSED_BYTES];
    memcpy(mine, found, sizeof mine);
    interposed_look_at_tracer(mine); /* may attach at any time */
    bool any = !weir_job_agree(job, mine[0] == '\0');
    text[0] = '\0';
    if (!any) {
        return;
    }
    char *all = job->rank == 0 ? calloc((size_t)job->size, sizeof mine) : NULL;
    MPI_Gather(mine, sizeof mine, MPI_CHAR, all, sizeof mine, MPI_CHAR, 0, job->comm);
    for (int i = 0; all != NULL && i < job->size; i++) {
        char *rest = all + (size_t)i * sizeof mine;
        for (char *line = strtok_r(rest, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
            interposed_add_line(text, line, strlen(line));
        }
    }
    free(all);
}

void weir_interposed_write(struct weir_json *json, const char *text) {
    char call[64], object[512];
    weir_json_list(json, "interposed");
    for (const char *at = text; *at != '\0'; at = strchr(at, '\n') + 1) {
        if (sscanf(at, "%63s %511[^\n]", call, object) == 2) {
            weir_json_object(json, NULL);
            weir_json_text(json, "call", call);
            weir_json_text(json, "object", object);
            weir_json_object_end(json);
        }
    }
    weir_json_list_end(json);
}
