/* One write of 1 MiB by aio_write and two by lio_listio, all synchronised by aio_fsync, whose result is taken
 * after 0.2 s. */
#include <aio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MIB 1048576

static void check(int right) {
    if (!right) {
        _exit(1);
    }
}

static void wait_for(struct aiocb *request, ssize_t result) {
    const struct aiocb *list[] = {request};
    check(aio_suspend(list, 1, NULL) == 0 && aio_error(request) == 0 && aio_return(request) == result);
}

int main(void) {
    int fd = open("f", O_CREAT | O_WRONLY, 0600);
    char *buffer = calloc(1, MIB);
    struct aiocb parts[3];
    check(fd >= 0 && buffer != NULL);
    for (int i = 0; i < 3; i++) {
        parts[i] =
            (struct aiocb){.aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = MIB, .aio_offset = i * MIB};
        parts[i].aio_sigevent.sigev_notify = SIGEV_NONE;
        parts[i].aio_lio_opcode = LIO_WRITE;
    }
    struct aiocb *list[] = {&parts[1], NULL, &parts[2]};
    check(aio_write(&parts[0]) == 0);
    wait_for(&parts[0], MIB);
    check(lio_listio(LIO_WAIT, list, 3, NULL) == 0);
    struct aiocb sync = {.aio_fildes = fd};
    sync.aio_sigevent.sigev_notify = SIGEV_NONE;
    check(aio_fsync(O_SYNC, &sync) == 0);
    usleep(200000);
    wait_for(&sync, 0);
    return 0;
}
