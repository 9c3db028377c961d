#include "stored.h"

#include "medium.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STATX_BYTES      256
#define STATX_FORCE_SYNC 0x2000
#define STATX_SIZE_BIT   0x200u

/* The facts as the server has them: a client may answer from attributes that it keeps. */
static int stored_facts(int descriptor, struct stat *facts) {
#ifdef SYS_statx /* not by the C library, which may be older than the kernel */
    char answer[STATX_BYTES];
    syscall(SYS_statx, descriptor, "", AT_EMPTY_PATH | STATX_FORCE_SYNC, STATX_SIZE_BIT, answer);
#endif
    return fstat(descriptor, facts);
}

int weir_stored_plain(const char *path, const void *settings, struct weir_stored *stored,
                      struct weir_problem *problem) {
    struct stat facts;
    (void)settings;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return weir_problem_set(problem, "open", path, errno, NULL,
                                "looking at the file after it was closed");
    }
    if (stored_facts(descriptor, &facts) != 0) {
        int cause = errno;
        close(descriptor);
        return weir_problem_set(problem, "fstat", path, cause, NULL,
                                "looking at the file after it was closed");
    }
    stored->bytes = (uint64_t)facts.st_size;
    stored->first_hole_bytes = weir_bytes_before_hole(descriptor, 0, stored->bytes, stored);
    close(descriptor);
    return 0;
}

#define WINDOW_BYTES (64u << 10)
#define WINDOWS      64u
#define MOST_HOLES   4096
#define ALIGNED      4096u /* what O_DIRECT needs at most */

/* Past the page cache, which keeps what it kept: a later read that is measured must not find what was looked
 * at here. Through it where the file system has no O_DIRECT. */
static ssize_t stored_look(int descriptor, unsigned char *window, size_t bytes, uint64_t offset) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int direct = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    ssize_t length = direct >= 0 ? pread(direct, window, bytes, (off_t)offset) : -1;
    if (direct >= 0) {
        close(direct);
    }
    return length >= 0 ? length : pread(descriptor, window, bytes, (off_t)offset);
}

static bool stored_has_data(int descriptor, uint64_t offset, uint64_t bytes) {
    static _Alignas(ALIGNED) unsigned char window[WINDOW_BYTES + 2 * ALIGNED];
    uint64_t before = offset % ALIGNED;
    size_t whole = (size_t)((before + bytes + ALIGNED - 1) / ALIGNED * ALIGNED);
    ssize_t length = stored_look(descriptor, window, whole, offset - before);
    for (uint64_t i = before; i < before + bytes && (ssize_t)i < length; i++) {
        if (window[i] != 0) {
            return true;
        }
    }
    return false;
}

/* Where in a hole only zeros are read; its end where there is data everywhere. A long one is looked at in
 * windows, evenly spread. */
static uint64_t stored_zeros_in_hole(int descriptor, uint64_t begin, uint64_t end) {
    uint64_t windows = (end - begin + WINDOW_BYTES - 1) / WINDOW_BYTES;
    uint64_t looks = windows < WINDOWS ? windows : WINDOWS;
    for (uint64_t i = 0; i < looks; i++) {
        uint64_t at = begin + windows * i / looks * WINDOW_BYTES;
        uint64_t bytes = end - at < WINDOW_BYTES ? end - at : WINDOW_BYTES;
        if (!stored_has_data(descriptor, at, bytes)) {
            return at;
        }
    }
    return end;
}

uint64_t weir_bytes_before_hole(int descriptor, uint64_t begin, uint64_t bytes, struct weir_stored *stored) {
    struct stat facts;
    uint64_t end = begin + bytes, at = begin;
    if (stored_facts(descriptor, &facts) == 0 && (uint64_t)facts.st_size < end) {
        end = (uint64_t)facts.st_size > begin ? (uint64_t)facts.st_size : begin;
    }
    for (int holes = 0; at < end && holes < MOST_HOLES; holes++) {
        /* File systems without holes answer with the end of the file, or not at all. */
        off_t hole = lseek(descriptor, (off_t)at, SEEK_HOLE);
        if (hole < (off_t)at || (uint64_t)hole >= end) {
            break;
        }
        off_t data = lseek(descriptor, hole, SEEK_DATA);
        at = data > hole && (uint64_t)data < end ? (uint64_t)data : end;
        uint64_t zeros = stored_zeros_in_hole(descriptor, (uint64_t)hole, at);
        if (zeros < at) {
            return zeros - begin;
        }
        stored->denied_holes++;
    }
    return end - begin;
}

void weir_stored_data(const char *path, uint64_t begin, uint64_t bytes, struct weir_stored *stored) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC); /* none where only MPI-IO knows the name */
    stored->header_bytes = begin;
    if (descriptor >= 0) {
        stored->first_hole_bytes = weir_bytes_before_hole(descriptor, begin, bytes, stored);
        close(descriptor);
    }
}

int weir_cause_plain(const char *path, enum weir_access wanted) {
    char directory[1024];
    struct statvfs space;
    if (weir_has_prefix(path)) {
        return 0;
    }
    weir_directory_of(path, directory, sizeof directory);
    errno = 0;
    int answer = wanted == WEIR_WRITE ? access(directory, W_OK | X_OK) : access(path, R_OK);
    if (answer != 0) {
        return errno;
    }
    bool full = wanted == WEIR_WRITE && statvfs(directory, &space) == 0 && space.f_bavail == 0;
    return full ? ENOSPC : 0;
}

int weir_remove_plain(const char *path, const void *settings, struct weir_problem *problem) {
    struct stat facts;
    (void)settings;
    if (lstat(path, &facts) != 0) {
        return errno == ENOENT ? 0
                               : weir_problem_set(problem, "lstat", path, errno, NULL, "before removing it");
    }
    if (!S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode)) {
        return weir_problem_set(problem, "unlink", path, EINVAL, "it is not a regular file",
                                "weir-io removes nothing but files");
    }
    if (unlink(path) != 0 && errno != ENOENT) {
        return weir_problem_set(problem, "unlink", path, errno, NULL, "%s", "");
    }
    return 0;
}

bool weir_has_prefix(const char *path) {
    const char *at = path;
    while (isalnum((unsigned char)*at)) {
        at++;
    }
    return at > path && *at == ':';
}

static int stored_mpi_failed(struct weir_problem *problem, const char *call, const char *path, int code) {
    char message[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, message, &length);
    return weir_problem_set(problem, call, path, 0, message, "%s", "outside of the timed phase");
}

int weir_stored_named(const char *path, const void *settings, struct weir_stored *stored,
                      struct weir_problem *problem) {
    MPI_File handle;
    MPI_Offset bytes = 0;
    if (!weir_has_prefix(path)) {
        return weir_stored_plain(path, settings, stored, problem);
    }
    int code = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &handle);
    if (code != MPI_SUCCESS) {
        return stored_mpi_failed(problem, "MPI_File_open", path, code);
    }
    code = MPI_File_get_size(handle, &bytes);
    MPI_File_close(&handle);
    stored->bytes = stored->first_hole_bytes = (uint64_t)bytes;
    return code == MPI_SUCCESS ? 0 : stored_mpi_failed(problem, "MPI_File_get_size", path, code);
}

int weir_remove_named(const char *path, const void *settings, struct weir_problem *problem) {
    int class = MPI_SUCCESS;
    if (!weir_has_prefix(path)) {
        return weir_remove_plain(path, settings, problem);
    }
    int code = MPI_File_delete(path, MPI_INFO_NULL);
    MPI_Error_class(code, &class);
    MPI_File handle;
    /* ROMIO's IME driver gives every failure this class: a file that cannot be opened either is not there. */
    if (class == MPI_ERR_FILE &&
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &handle) != MPI_SUCCESS) {
        return 0;
    }
    if (class == MPI_ERR_FILE) {
        MPI_File_close(&handle);
    }
    return class == MPI_SUCCESS || class == MPI_ERR_NO_SUCH_FILE
               ? 0
               : stored_mpi_failed(problem, "MPI_File_delete", path, code);
}
