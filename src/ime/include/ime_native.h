/* The client interface of a burst buffer, as programs built for DDN's IME call it (interface version 132).
 *
 * Every function behaves as the POSIX function whose name it carries: same arguments, same result, errno set
 * on failure. Paths may begin with one of the prefixes below. The file named by IM_CLIENT_CFG_FILE sets which
 * store is meant; docs/burst-buffer.md has its keys. */
#ifndef IME_NATIVE_H
#define IME_NATIVE_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IME_NATIVE_API_VERSION 132

#define DEFAULT_IME_FILE_PREFIX         "ime://"
#define DEFAULT_IME_PREFIX_NO_FWD_SLASH "ime:"

/* One asynchronous transfer. The caller fills every field and keeps the structure and its vectors alive until
 * complete_cb has been called, once, from a thread of the library, with an errno value (0: none) and the
 * bytes moved. */
struct ime_aiocb {
    int fd;
    int iovcnt;
    uint32_t flags; /* none are defined: 0 */
    const struct iovec *iov;
    off_t file_offset;
    void (*complete_cb)(struct ime_aiocb *aiocb, int err, ssize_t bytes);
    intptr_t user_context; /* the caller's own */
};

/* Before the first call and after the last one. A store that cannot be used is reported on stderr by the
 * first and by ENODEV from every call that follows. Nested pairs are counted. */
void ime_native_init(void);
int ime_native_finalize(void);

const char *ime_native_version(void);

int ime_native_open(const char *path, int flags, mode_t mode);
int ime_native_close(int fd);
int ime_native_dup2(int from, int to);

ssize_t ime_native_read(int fd, void *buffer, size_t bytes);
ssize_t ime_native_write(int fd, const void *buffer, size_t bytes);
ssize_t ime_native_pread(int fd, void *buffer, size_t bytes, off_t offset);
ssize_t ime_native_pwrite(int fd, const void *buffer, size_t bytes, off_t offset);
ssize_t ime_native_preadv(int fd, const struct iovec *iov, int iovcnt, off_t offset);
ssize_t ime_native_pwritev(int fd, const struct iovec *iov, int iovcnt, off_t offset);
int ime_native_aio_read(struct ime_aiocb *aiocb);
int ime_native_aio_write(struct ime_aiocb *aiocb);

off_t ime_native_lseek(int fd, off_t offset, int whence);
int ime_native_fsync(int fd); /* to the fast tier */
int ime_native_ftruncate(int fd, off_t length);

int ime_native_access(const char *path, int mode);
int ime_native_stat(const char *path, struct stat *status);
int ime_native_unlink(const char *path);
int ime_native_mkdir(const char *path, mode_t mode);
int ime_native_rmdir(const char *path);
int ime_native_mknod(const char *path, mode_t mode, dev_t device);
int ime_native_statvfs(const char *path, struct statvfs *status);
int ime_native_sync(int flags); /* everything dirty to the backing; flags: 0 */

#ifdef __cplusplus
}
#endif

#endif
