/* libfuse 3.14 cannot request shared mappings of files that bypass the page cache, which newer kernels offer:
 * this adds the flag to its answer to the kernel's first request. Older kernels ignore it. */
#include <linux/fuse.h>
#include <string.h>
#include <unistd.h>

#include "mount.h"

#define DIRECT_IO_ALLOW_MMAP_HIGH (UINT32_C(1) << 4) /* bit 36, counted from bit 32 */

static bool answered;

static ssize_t flags_send_answer(int fd, struct iovec *iov, int count, void *unused) {
    (void)unused;
    if (!answered && count == 2 && iov[1].iov_len == sizeof(struct fuse_init_out)) {
        struct fuse_init_out init;
        answered = true;
        memcpy(&init, iov[1].iov_base, sizeof init);
        init.flags |= FUSE_INIT_EXT;
        init.flags2 |= DIRECT_IO_ALLOW_MMAP_HIGH;
        memcpy(iov[1].iov_base, &init, sizeof init);
    }
    return writev(fd, iov, count);
}

static ssize_t flags_receive_request(int fd, void *buffer, size_t bytes, void *unused) {
    (void)unused;
    return read(fd, buffer, bytes);
}

int set_connection_flags(struct fuse_session *session) {
    static const struct fuse_custom_io io = {.writev = flags_send_answer, .read = flags_receive_request};
    return fuse_session_custom_io(session, &io, fuse_session_fd(session));
}
