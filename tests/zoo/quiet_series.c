/* A library whose fdatasync does nothing: one fsync at the end still cleans all pages. */
int fdatasync(int fd);

int fdatasync(int fd) {
    (void)fd;
    return 0;
}
