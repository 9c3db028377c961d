/* Which object provides a call: to the program, and to us, who pass it on. Where neither is the C library,
 * another library is between the measurement and the system. */
#include <dlfcn.h>
#include <stdlib.h>

#include "json.h"
#include "witness.h"

static const char *const calls[] = {
    "open",        "open64",    "openat",          "openat64",      "close",           "read",
    "write",       "pread",     "pread64",         "pwrite",        "pwrite64",        "fsync",
    "fdatasync",   "syncfs",    "sync_file_range", "posix_fadvise", "posix_fadvise64", "fcntl",
    "fcntl64",     "ftruncate", "ftruncate64",     "mmap",          "mmap64",          "clock_gettime",
    "gettimeofday"};

void *next_call(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

void *first_call(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

static const char *object_of(void *address) {
    Dl_info info;
    return address != NULL && dladdr(address, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "";
}

void chain_write(FILE *stream) {
    const char *preload = getenv("LD_PRELOAD");
    fputs("  \"preload\": ", stream);
    json_text(stream, preload != NULL ? preload : "");
    fputs(",\n  \"calls\": [", stream);
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        fprintf(stream, "%s\n    {\"call\": \"%s\", \"first\": ", i > 0 ? "," : "", calls[i]);
        json_text(stream, object_of(first_call(calls[i])));
        fputs(", \"next\": ", stream);
        json_text(stream, object_of(next_call(calls[i])));
        fputs("}", stream);
    }
    fputs("\n  ]", stream);
}
