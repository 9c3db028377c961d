/* MPIIO: MPI_File of the MPI library at hand. The library is not believed: Open MPI's own implementation may
 * lose errors, so the bytes are counted after each call and looked for in the file after it was closed. */
#include "backend.h"
#include "descriptor.h"
#include "stored.h"

#include <errno.h>

#define CALL_BYTES_MAX ((size_t)1 << 30) /* counts of MPI 3 are int */

static int mpiio_errno_of(int class) {
    static const struct {
        int class;
        int errnum;
    } known[] = {{MPI_ERR_NO_SPACE, ENOSPC}, {MPI_ERR_QUOTA, EDQUOT},    {MPI_ERR_NO_SUCH_FILE, ENOENT},
                 {MPI_ERR_ACCESS, EACCES},   {MPI_ERR_READ_ONLY, EROFS}, {MPI_ERR_FILE_EXISTS, EEXIST},
                 {MPI_ERR_BAD_FILE, EINVAL}, {MPI_ERR_NO_MEM, ENOMEM},   {MPI_ERR_FILE_IN_USE, EBUSY},
                 {MPI_ERR_IO, EIO}};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].class == class) {
            return known[i].errnum;
        }
    }
    return 0;
}

/* The library's own message, and the last errno where that message is no more than "an error". */
static int mpiio_mpi_problem(struct weir_problem *problem, const char *call, const char *path, int code,
                             int last_errno) {
    char message[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0, class = MPI_ERR_OTHER;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, message, &length);
    int errnum = mpiio_errno_of(class);
    bool vague = errnum == 0 || errnum == EIO;
    if (vague && last_errno != 0) {
        return weir_problem_set(problem, call, path, last_errno, NULL, "MPI reports %s", message);
    }
    return weir_problem_set(problem, call, path, errnum, errnum != 0 ? NULL : message, "MPI reports %s",
                            message);
}

static int mpiio_set_view(MPI_File handle, const struct weir_open *how, struct weir_problem *problem) {
    errno = 0;
    int code = MPI_File_set_view(handle, 0, MPI_BYTE, *how->geometry.view, "native", MPI_INFO_NULL);
    return code == MPI_SUCCESS ? 0 : mpiio_mpi_problem(problem, "MPI_File_set_view", how->path, code, errno);
}

static int mpiio_open(struct weir_file *file, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    int writing = MPI_MODE_CREATE | (how->update ? MPI_MODE_RDWR : MPI_MODE_WRONLY);
    int mode = MPI_MODE_UNIQUE_OPEN | (how->access == WEIR_WRITE ? writing : MPI_MODE_RDONLY);
    MPI_File *handle = file->state;
    WEIR_INFO info = weir_hints_to_info(how->hints);
    errno = 0;
    int code = MPI_File_open(how->comm, how->path, mode, info, handle);
    if (code != MPI_SUCCESS) {
        return mpiio_mpi_problem(problem, "MPI_File_open", how->path, code, errno);
    }
    MPI_File_set_errhandler(*handle, MPI_ERRORS_RETURN);
    /* Where that fails the file stays open: MPI_File_close would wait for all ranks. */
    return how->geometry.view != NULL ? mpiio_set_view(*handle, how, problem) : 0;
}

struct call {
    const char *name;
    int code;
    int moved;
    int last_errno;
};

static struct call mpiio_call_once(const struct weir_file *file, const struct weir_piece *piece, size_t done,
                                   size_t bytes) {
    MPI_File handle = *(const MPI_File *)file->state;
    MPI_Offset offset = (MPI_Offset)(piece->offset + done);
    unsigned char *buffer = piece->buffer + done;
    int count = (int)bytes;
    MPI_Status status;
    struct call call = {NULL, 0, 0, 0};
    errno = 0;
    if (piece->access == WEIR_WRITE) {
        call.name = file->how->collective ? "MPI_File_write_at_all" : "MPI_File_write_at";
        call.code = file->how->collective
                        ? MPI_File_write_at_all(handle, offset, buffer, count, MPI_BYTE, &status)
                        : MPI_File_write_at(handle, offset, buffer, count, MPI_BYTE, &status);
    } else {
        call.name = file->how->collective ? "MPI_File_read_at_all" : "MPI_File_read_at";
        call.code = file->how->collective
                        ? MPI_File_read_at_all(handle, offset, buffer, count, MPI_BYTE, &status)
                        : MPI_File_read_at(handle, offset, buffer, count, MPI_BYTE, &status);
    }
    call.last_errno = errno;
    if (call.code == MPI_SUCCESS && MPI_Get_count(&status, MPI_BYTE, &call.moved) == MPI_SUCCESS &&
        call.moved == MPI_UNDEFINED) {
        call.moved = 0;
    }
    return call;
}

/* A short transfer that MPI reports as success sets no errno of its own: one that is left over from the
 * library's own calls has no meaning here, so the file itself is looked at. */
static int mpiio_short_transfer(const struct weir_file *file, const struct weir_piece *piece, size_t done,
                                size_t bytes, const struct call *call, struct weir_problem *problem) {
    MPI_File handle = *(const MPI_File *)file->state;
    MPI_Offset file_bytes = 0, at = 0;
    uint64_t in_view = piece->offset + done + (uint64_t)(call->moved > 0 ? call->moved : 0);
    bool known = MPI_File_get_size(handle, &file_bytes) == MPI_SUCCESS &&
                 MPI_File_get_byte_offset(handle, (MPI_Offset)in_view, &at) == MPI_SUCCESS;
    bool end = piece->access == WEIR_READ && known && file_bytes <= at;
    int cause = end ? 0 : weir_cause_plain(file->how->path, piece->access);
    int errnum = end ? 0 : cause != 0 ? cause : EIO;
    return weir_problem_set(problem, call->name, file->how->path, errnum, end ? "end of file" : NULL,
                            "%d of %zu bytes at offset %llu moved although MPI reports success", call->moved,
                            bytes, (unsigned long long)(piece->offset + done));
}

/* A short independent transfer is continued. A collective one is not: the other ranks would have to join in.
 */
static int mpiio_transfer(struct weir_file *file, const struct weir_piece *piece,
                          struct weir_problem *problem) {
    size_t done = 0;
    int status = 0;
    while (done < piece->bytes) {
        size_t bytes = piece->bytes - done < CALL_BYTES_MAX ? piece->bytes - done : CALL_BYTES_MAX;
        struct call call = mpiio_call_once(file, piece, done, bytes);
        bool whole = call.code == MPI_SUCCESS && call.moved == (int)bytes;
        if (call.code != MPI_SUCCESS) {
            status = mpiio_mpi_problem(problem, call.name, file->how->path, call.code, call.last_errno);
        } else if (!whole && (call.moved <= 0 || file->how->collective || file->how->single_attempt)) {
            status = mpiio_short_transfer(file, piece, done, bytes, &call, problem);
        } else if (!whole) {
            file->retries++;
        }
        if (status != 0 && !file->how->collective) {
            return status;
        }
        done += whole || file->how->collective ? bytes : (size_t)call.moved;
    }
    return status;
}

static int mpiio_sync(struct weir_file *file, struct weir_problem *problem) {
    errno = 0;
    int code = MPI_File_sync(*(MPI_File *)file->state);
    return code == MPI_SUCCESS ? 0
                               : mpiio_mpi_problem(problem, "MPI_File_sync", file->how->path, code, errno);
}

static int mpiio_close(struct weir_file *file, struct weir_problem *problem) {
    errno = 0;
    int code = MPI_File_close(file->state);
    return code == MPI_SUCCESS ? 0
                               : mpiio_mpi_problem(problem, "MPI_File_close", file->how->path, code, errno);
}

static void mpiio_observe(struct weir_file *file, struct weir_observed *observed) {
    weir_hints_from_file(&observed->hints, *(MPI_File *)file->state);
    observed->open_flags = weir_descriptor_flags(file->how->path);
}

static struct weir_backend mpiio = {
    .name = "MPIIO",
    .summary = "MPI_File of the MPI library, independent or collective (-c), with hints (-U)",
    .traits = WEIR_COLLECTIVE | WEIR_HINTS | WEIR_RANDOM | WEIR_FILE_PER_PROCESS | WEIR_TOGETHER |
              WEIR_STORES | WEIR_UPDATE | WEIR_VIEWS,
    .state_bytes = sizeof(MPI_File),
    .open = mpiio_open,
    .transfer = mpiio_transfer,
    .close = mpiio_close,
    .remove = weir_remove_named,
    .sync = mpiio_sync,
    .observe = mpiio_observe,
    .stored = weir_stored_named,
};

WEIR_BACKEND(mpiio)
