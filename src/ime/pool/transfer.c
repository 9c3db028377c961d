/* From the caller's datatype to the view's and back, without a copy in between. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

int mpi_error_of(int error_number) {
    switch (error_number) {
    case 0:
        return MPI_SUCCESS;
    case ENOENT:
        return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
        return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
        return MPI_ERR_ACCESS;
    case ENOSPC:
    case ENOMEM:
        return MPI_ERR_NO_SPACE;
    case EINVAL:
    case ENAMETOOLONG:
        return MPI_ERR_BAD_FILE;
    default:
        return MPI_ERR_IO;
    }
}

void set_status(MPI_Status *status, int64_t bytes) {
    if (status != MPI_STATUS_IGNORE) {
        PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
        PMPI_Status_set_cancelled(status, 0);
    }
}

static void transfer_read_run(const struct memory *memory, int64_t offset, char *to, int64_t bytes) {
    while (bytes > 0) {
        int64_t chunk = offset / POOL_CHUNK_BYTES;
        int64_t part = (chunk + 1) * POOL_CHUNK_BYTES - offset;
        part = part < bytes ? part : bytes;
        if (atomic_load_explicit(&memory->index->allocated[chunk], memory_order_acquire) != 0) {
            memcpy(to, memory->data + offset, (size_t)part);
        } else {
            memset(to, 0, (size_t)part); /* touching a hole would fill it */
        }
        to += part;
        offset += part;
        bytes -= part;
    }
}

static void transfer_grow(struct memory *memory, int64_t size_bytes) {
    int64_t size = atomic_load(&memory->index->size_bytes);
    while (size < size_bytes &&
           !atomic_compare_exchange_weak(&memory->index->size_bytes, &size, size_bytes)) {
    }
}

/* One run of the caller's memory; *moved counts on over the runs. Reading ends at the end of the file. */
static int transfer_move_run(struct pool_file *file, int64_t *position, char *buffer, int64_t bytes,
                             bool write, bool *end) {
    struct memory *memory = &file->memory;
    int64_t size = atomic_load(&memory->index->size_bytes);
    while (bytes > 0) {
        int64_t part;
        int64_t offset = view_offset(&file->view, *position, &part);
        part = part < bytes ? part : bytes;
        if (write) {
            int error = memory_reserve(memory, offset, offset + part);
            if (error != 0) {
                return error;
            }
            memcpy(memory->data + offset, buffer, (size_t)part);
            transfer_grow(memory, offset + part);
        } else {
            if (offset + part > size) {
                *end = true;
                part = offset < size ? size - offset : 0;
            }
            transfer_read_run(memory, offset, buffer, part);
        }
        *position += part;
        buffer += part;
        bytes -= part;
        if (*end) {
            break;
        }
    }
    return 0;
}

int transfer(struct pool_file *file, int64_t position, void *buffer, int count, MPI_Datatype type, bool write,
             int64_t *moved_bytes) {
    struct flat flat;
    int64_t began = position;
    bool end = false;
    *moved_bytes = 0;
    if ((file->amode & (write ? MPI_MODE_RDONLY : MPI_MODE_WRONLY)) != 0) {
        return write ? MPI_ERR_READ_ONLY : MPI_ERR_ACCESS;
    }
    int error = flatten(type, &flat);
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (flat.bytes > 0 && count > 0 && file->view.flat.bytes == 0) {
        flat_free(&flat);
        return MPI_ERR_ARG;
    }
    bool dense = flat.count == 1 && flat.segments[0].bytes == flat.extent;
    int64_t instances = dense ? 1 : count;
    int failed = 0;
    if (file->atomic) {
        memory_set_lock(&file->memory, F_WRLCK);
    }
    for (int64_t i = 0; i < instances && failed == 0 && !end; i++) {
        for (size_t j = 0; j < flat.count && failed == 0 && !end; j++) {
            char *at = (char *)buffer + i * flat.extent + flat.segments[j].offset;
            int64_t bytes = dense ? count * flat.extent : flat.segments[j].bytes;
            failed = transfer_move_run(file, &position, at, bytes, write, &end);
        }
    }
    if (file->atomic) {
        memory_set_lock(&file->memory, F_UNLCK);
    }
    flat_free(&flat);
    *moved_bytes = position - began;
    return mpi_error_of(failed);
}

static int transfer_query_request(void *state, MPI_Status *status) {
    set_status(status, *(int64_t *)state);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int transfer_free_request(void *state) {
    free(state);
    return MPI_SUCCESS;
}

static int transfer_cancel_request(void *state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* Memory needs no waiting: a request is complete when it is made. */
int completed_request(int64_t bytes, MPI_Request *request) {
    int64_t *state = malloc(sizeof *state);
    if (state == NULL) {
        return MPI_ERR_NO_MEM;
    }
    *state = bytes;
    PMPI_Grequest_start(transfer_query_request, transfer_free_request, transfer_cancel_request, state,
                        request);
    return PMPI_Grequest_complete(*request);
}
