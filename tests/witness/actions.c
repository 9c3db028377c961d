/* One of each call that the witness counts, on a file under test and on another one.
 *
 *   actions UNDER_TEST ELSEWHERE */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 4096

static char *buffer;

static void check(int right) {
    if (!right) {
        _exit(1);
    }
}

static void act(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct iovec vectors[2] = {{buffer, BLOCK}, {buffer, BLOCK}};
    check(fd >= 0);
    check(write(fd, buffer, BLOCK) == BLOCK);
    check(pwrite(fd, buffer, BLOCK, BLOCK) == BLOCK);
    check(writev(fd, vectors, 2) == 2 * BLOCK);
    check(pwritev(fd, vectors, 2, 3 * BLOCK) == 2 * BLOCK);
    check(fsync(fd) == 0 && fdatasync(fd) == 0);
    check(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0);
    check(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL) == 0);
    check(lseek(fd, 0, SEEK_SET) == 0);
    check(read(fd, buffer, BLOCK) == BLOCK);
    check(pread(fd, buffer, BLOCK, 0) == BLOCK);
    check(readv(fd, vectors, 2) == 2 * BLOCK);
    check(preadv(fd, vectors, 2, 0) == 2 * BLOCK);
    int copy = dup(fd);
    check(pread(copy, buffer, BLOCK, 0) == BLOCK);
    check(close(copy) == 0);
    check(ftruncate(fd, BLOCK) == 0);
    void *map = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(map != MAP_FAILED && msync(map, BLOCK, MS_SYNC) == 0);
    check(msync(map, BLOCK, MS_ASYNC) == 0 && msync(map, BLOCK / 2, MS_SYNC) == 0);
    check(munmap(map, BLOCK) == 0);
    map = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    check(map != MAP_FAILED && msync(map, BLOCK, MS_SYNC) == 0 && munmap(map, BLOCK) == 0);
    check(close(fd) == 0);
    check(pread(fd, buffer, BLOCK, 0) < 0 && errno == EBADF);
    fd = open(path, O_RDONLY | O_DIRECT);
    if (fd >= 0) {
        check(pwrite(fd, buffer, BLOCK, 0) < 0 && errno == EBADF);
        close(fd);
    }
}

int main(int argc, char **argv) {
    check(argc == 3 && posix_memalign((void **)&buffer, BLOCK, BLOCK) == 0);
    memset(buffer, 1, BLOCK);
    act(argv[1]);
    act(argv[2]);
    char missing[4096];
    strcpy(missing, argv[1]);
    strcat(missing, ".missing");
    check(open(missing, O_RDONLY) < 0 && errno == ENOENT);
    pid_t child = fork();
    if (child == 0) {
        exit(0); /* reports nothing of what its parent did */
    }
    return waitpid(child, NULL, 0) == child ? 0 : 1;
}
