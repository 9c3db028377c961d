/* IME: a burst buffer by its client library, without the kernel in between. Paths begin with ime://. */
#include "attempts.h"
#include "backend.h"

#include <fcntl.h>
#include <ime_native.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void ime_end(void) {
    ime_native_finalize();
}

/* The library belongs to the process, not to a file: it is started once, before anything is timed. */
static void ime_begin(void) {
    static bool begun = false;
    if (!begun) {
        begun = true;
        ime_native_init();
        atexit(ime_end);
    }
}

static int ime_descriptor_of(const struct weir_file *file) {
    return *(const int *)file->state;
}

static int ime_open(struct weir_file *file, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    int flags = how->access == WEIR_WRITE ? O_CREAT | O_RDWR : O_RDONLY;
    int descriptor = ime_native_open(how->path, flags, 0664);
    if (descriptor < 0) {
        return weir_problem_set(problem, "ime_native_open", how->path, errno, NULL, "%s",
                                how->access == WEIR_WRITE ? "to write" : "to read");
    }
    *(int *)file->state = descriptor;
    return 0;
}

static ssize_t ime_write_attempt(struct weir_file *file, const struct weir_piece *piece, size_t done) {
    return ime_native_pwrite(ime_descriptor_of(file), piece->buffer + done, piece->bytes - done,
                             (off_t)(piece->offset + done));
}

static ssize_t ime_read_attempt(struct weir_file *file, const struct weir_piece *piece, size_t done) {
    return ime_native_pread(ime_descriptor_of(file), piece->buffer + done, piece->bytes - done,
                            (off_t)(piece->offset + done));
}

static int ime_transfer(struct weir_file *file, const struct weir_piece *piece,
                        struct weir_problem *problem) {
    return piece->access == WEIR_WRITE
               ? weir_move_all(file, piece, ime_write_attempt, "ime_native_pwrite", problem)
               : weir_move_all(file, piece, ime_read_attempt, "ime_native_pread", problem);
}

static int ime_sync(struct weir_file *file, struct weir_problem *problem) {
    int status;
    do {
        status = ime_native_fsync(ime_descriptor_of(file));
    } while (status != 0 && errno == EINTR);
    return weir_problem_of(problem, "ime_native_fsync", file->how->path, status);
}

static int ime_close(struct weir_file *file, struct weir_problem *problem) {
    int status = ime_native_close(ime_descriptor_of(file));
    return weir_problem_of(problem, "ime_native_close", file->how->path, status);
}

static int ime_remove(const char *path, const void *settings, struct weir_problem *problem) {
    struct stat facts;
    (void)settings;
    if (ime_native_stat(path, &facts) != 0) {
        return errno == ENOENT
                   ? 0
                   : weir_problem_set(problem, "ime_native_stat", path, errno, NULL, "before removing it");
    }
    if (!S_ISREG(facts.st_mode)) {
        return weir_problem_set(problem, "ime_native_unlink", path, EINVAL, "it is not a regular file",
                                "weir-io removes nothing but files");
    }
    if (ime_native_unlink(path) != 0 && errno != ENOENT) {
        return weir_problem_set(problem, "ime_native_unlink", path, errno, NULL, "%s", "");
    }
    return 0;
}

/* The interface cannot report holes. */
static int ime_stored(const char *path, const void *settings, struct weir_stored *stored,
                      struct weir_problem *problem) {
    struct stat facts;
    (void)settings;
    if (ime_native_stat(path, &facts) != 0) {
        return weir_problem_set(problem, "ime_native_stat", path, errno, NULL,
                                "looking at the file after it was closed");
    }
    stored->bytes = (uint64_t)facts.st_size;
    stored->first_hole_bytes = stored->bytes;
    return 0;
}

static const char *ime_refuse(const struct weir_open *how) {
    bool prefixed =
        strncmp(how->path, DEFAULT_IME_PREFIX_NO_FWD_SLASH, strlen(DEFAULT_IME_PREFIX_NO_FWD_SLASH)) == 0;
    return prefixed ? NULL : "-a IME needs a path that begins with ime://, such as -o ime:///scratch/file";
}

static int ime_stat(struct weir_name *name, struct weir_problem *problem) {
    struct stat facts;
    int status = ime_native_stat(name->path, &facts);
    name->bytes = status == 0 ? (uint64_t)facts.st_size : 0;
    return weir_problem_of(problem, "ime_native_stat", name->path, status);
}

#define IME_NAME(call, ...)                                                                                  \
    static int ime_##call(struct weir_name *name, struct weir_problem *problem) {                            \
        return weir_problem_of(problem, "ime_native_" #call, name->path, ime_native_##call(__VA_ARGS__));    \
    }

IME_NAME(unlink, name->path)
IME_NAME(mkdir, name->path, 0775)
IME_NAME(rmdir, name->path)

static const struct weir_names ime_names = {
    .stat = ime_stat,
    .unlink = ime_unlink,
    .mkdir = ime_mkdir,
    .rmdir = ime_rmdir,
};

static struct weir_backend ime = {
    .name = "IME",
    .summary = "burst buffer by its client library: ime_native_pwrite and ime_native_pread",
    .traits = WEIR_RANDOM | WEIR_FILE_PER_PROCESS | WEIR_STORES | WEIR_UPDATE,
    .state_bytes = sizeof(int),
    .begin = ime_begin,
    .open = ime_open,
    .transfer = ime_transfer,
    .close = ime_close,
    .remove = ime_remove,
    .sync = ime_sync,
    .stored = ime_stored,
    .refuse = ime_refuse,
    .names = &ime_names,
};

WEIR_BACKEND(ime)
