/* Which objects provide calls instead of the C library: between the program and us, and behind us. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bindings.h"
#include "json.h"
#include "witness.h"

#define LIST_BYTES (128 << 10) /* a sanitizer provides some 500 calls */

#define USED 256u

static struct weir_binding used[USED]; /* by us; of calls that the process did not make yet, nothing */
static _Atomic unsigned used_count;

/* Before 2.33 glibc exports none of these: each program has its own, above __xstat. We define them for newer
 * ones, so that our own calls come to us there, too. */
static int system_fstatat(int directory, const char *path, struct stat *facts, int flags) {
    return (int)syscall(SYS_newfstatat, directory, path, facts, flags);
}

static int system_stat(const char *path, struct stat *facts) {
    return system_fstatat(AT_FDCWD, path, facts, 0);
}

static int system_lstat(const char *path, struct stat *facts) {
    return system_fstatat(AT_FDCWD, path, facts, AT_SYMLINK_NOFOLLOW);
}

static int system_mknodat(int directory, const char *path, mode_t mode, dev_t device) {
    return (int)syscall(SYS_mknodat, directory, path, mode, device);
}

static int system_mknod(const char *path, mode_t mode, dev_t device) {
    return system_mknodat(AT_FDCWD, path, mode, device);
}

/* NULL: the C library lacks the call, and so does the kernel by this name. */
static void *system_call(const char *name) {
    static const struct {
        const char *name;
        void (*call)(void);
    } calls[] = {{"stat", (void (*)(void))system_stat},       {"stat64", (void (*)(void))system_stat},
                 {"lstat", (void (*)(void))system_lstat},     {"lstat64", (void (*)(void))system_lstat},
                 {"fstatat", (void (*)(void))system_fstatat}, {"fstatat64", (void (*)(void))system_fstatat},
                 {"mknod", (void (*)(void))system_mknod},     {"mknodat", (void (*)(void))system_mknodat}};
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(calls[i].name, name) == 0) {
            return (void *)calls[i].call;
        }
    }
    return NULL;
}

/* Found at each first use: a library that answers dlsym, too, cannot tell which one is the last. */
void *next_call(const char *name) {
    void *address = dlsym(RTLD_NEXT, name);
    unsigned at = atomic_fetch_add(&used_count, 1);
    if (at < USED) {
        used[at] = (struct weir_binding){name, address};
    }
    return address != NULL ? address : system_call(name);
}

void *first_call(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

bool chain_answers_syncs(void) {
    int (*first)(int) = (int (*)(int))first_call("fsync");
    int ends[2];
    if (first == NULL || syscall(SYS_pipe2, ends, O_CLOEXEC) != 0) {
        return false;
    }
    bool answers = first(ends[1]) == 0;
    syscall(SYS_close, ends[0]);
    syscall(SYS_close, ends[1]);
    return answers;
}

struct list {
    FILE *stream;
    char *lines; /* those that were written, one each */
    size_t used;
};

/* Each once: many objects have a table of their calls. */
static void write_binding(void *context, const char *call, const char *object, bool behind) {
    struct list *list = context;
    char line[1024];
    int length = snprintf(line, sizeof line, "\n%s %s %d\n", call, object, behind);
    if (length < 0 || (size_t)length >= sizeof line || list->used + sizeof line > LIST_BYTES ||
        strstr(list->lines, line) != NULL) {
        return;
    }
    fputs(list->used > 0 ? ",\n    {\"call\": " : "\n    {\"call\": ", list->stream);
    memcpy(list->lines + list->used, line, (size_t)length + 1);
    list->used += (size_t)length;
    json_text(list->stream, call);
    fputs(", \"object\": ", list->stream);
    json_text(list->stream, object);
    fprintf(list->stream, ", \"behind\": %s}", behind ? "true" : "false");
}

void chain_write(FILE *stream) {
    const char *preload = getenv("LD_PRELOAD");
    struct list list = {stream, calloc(1, LIST_BYTES), 0};
    fputs("  \"preload\": ", stream);
    json_text(stream, preload != NULL ? preload : "");
    fputs(",\n  \"calls\": [", stream);
    if (list.lines != NULL) {
        char tracer[32];
        snprintf(tracer, sizeof tracer, "process %u", weir_bindings_tracer());
        unsigned count = atomic_load(&used_count);
        weir_bindings_look((const void *)&chain_write, used, count < USED ? count : USED, write_binding,
                           &list);
        if (strcmp(tracer, "process 0") != 0) {
            write_binding(&list, "ptrace", tracer, true);
        }
    }
    fputs("\n  ]", stream);
    free(list.lines);
}
