/* The client of a network file system that acknowledges early: names and sizes are in FOLDER, the bytes go to
 * a server of its own by TCP on the loopback. Started as `caching-fuse MODE FOLDER MOUNTPOINT -f`. MODE:
 *
 *   behind  honest: a write is kept until a synchronisation, a close or much of it; reads come from the
 * server never   the server gets nothing, reads come from the memory of the client, fsync reports success
 *   late    the same, and what was written goes to the server two seconds later */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 31
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MUCH_BYTES (16u << 20)
#define LATE_S     2
#define PATH_BYTES 256
#define FILES      64

enum request_kind { PUT, GET, SYNCHRONISE };

struct request {
    char path[PATH_BYTES];
    enum request_kind kind;
    uint32_t bytes;
    int64_t offset;
};

/* What the client keeps of a file. */
static struct {
    char path[PATH_BYTES];
    int memory; /* its bytes */
} files[FILES];

struct kept {
    struct request request;
    time_t since_s;
    struct kept *next;
};

static enum { BEHIND, NEVER, LATE } mode;
static const char *folder;
static struct kept *first, **last = &first; /* that the server has not got */
static uint64_t kept_bytes;
static int server;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char block[1 << 20];

static const char *below(const char *path, char full[2 * PATH_BYTES + 2]) {
    snprintf(full, 2 * PATH_BYTES + 2, "%.255s%.255s", folder, path);
    return full;
}

static int result(int code) {
    return code < 0 ? -errno : 0;
}

static int all(int connection, void *bytes, size_t count, int sends) {
    for (char *at = bytes; count > 0;) {
        ssize_t moved =
            sends ? send(connection, at, count, MSG_NOSIGNAL) : recv(connection, at, count, MSG_WAITALL);
        if (moved <= 0) {
            return -1;
        }
        at += moved;
        count -= (size_t)moved;
    }
    return 0;
}

/* The server: one client, the files by their paths in the folder. A reply has the result, and the bytes. */
static void serve(int connection) {
    static char bytes[sizeof block];
    char full[2 * PATH_BYTES + 2];
    struct request request;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (all(connection, &request, sizeof request, 0) == 0) {
        if (request.kind == PUT && all(connection, bytes, request.bytes, 0) != 0) {
            break;
        }
        int file = open(below(request.path, full), O_RDWR);
        int32_t code = file < 0              ? -errno
                       : request.kind == PUT ? (int32_t)pwrite(file, bytes, request.bytes, request.offset)
                       : request.kind == GET ? (int32_t)pread(file, bytes, request.bytes, request.offset)
                                             : fsync(file);
        if (file >= 0) {
            close(file);
        }
        all(connection, &code, sizeof code, 1);
        if (request.kind == GET && code > 0) {
            all(connection, bytes, (size_t)code, 1);
        }
    }
    _exit(0);
}

static int start_server(void) {
    /* An address that no other program of this machine has: ends of their connections are not its own. */
    uint32_t own = 0x7f000001u | ((uint32_t)getpid() & 0xffff) << 8;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(own)};
    socklen_t length = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listening, (struct sockaddr *)&address, length) != 0 || listen(listening, 1) != 0 ||
        getsockname(listening, (struct sockaddr *)&address, &length) != 0) {
        return -1;
    }
    if (fork() == 0) {
        serve(accept(listening, NULL, NULL));
    }
    close(listening);
    server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return connect(server, (struct sockaddr *)&address, length);
}

static int find(const char *path, int makes) {
    int spare = -1;
    for (int i = 0; i < FILES; i++) {
        if (strcmp(files[i].path, path) == 0) {
            return i;
        }
        spare = files[i].path[0] == '\0' ? i : spare;
    }
    if (makes && spare >= 0) {
        snprintf(files[spare].path, PATH_BYTES, "%s", path);
        files[spare].memory = memfd_create("file", MFD_CLOEXEC);
        return spare;
    }
    return -1;
}

static int32_t request_one(const struct request *request, void *bytes) {
    struct request copy = *request;
    int32_t code = -EIO;
    if (all(server, &copy, sizeof copy, 1) != 0 ||
        (copy.kind == PUT && all(server, bytes, copy.bytes, 1) != 0) ||
        all(server, &code, sizeof code, 0) != 0) {
        return -EIO;
    }
    return copy.kind == GET && code > 0 && all(server, bytes, (size_t)code, 0) != 0 ? -EIO : code;
}

/* Sends what is older; with the mutex. */
static void send_kept(time_t until_s) {
    while (first != NULL && first->since_s <= until_s) {
        struct kept *one = first;
        int at = find(one->request.path, 0);
        if (at >= 0 && pread(files[at].memory, block, one->request.bytes, one->request.offset) > 0) {
            request_one(&one->request, block);
        }
        kept_bytes -= one->request.bytes;
        first = one->next;
        free(one);
    }
    last = first == NULL ? &first : last;
}

static void *send_late(void *nothing) {
    for (;;) {
        usleep(100000);
        pthread_mutex_lock(&mutex);
        send_kept(time(NULL) - LATE_S);
        pthread_mutex_unlock(&mutex);
    }
    return nothing;
}

static void *start_thread(struct fuse_conn_info *connection, struct fuse_config *config) {
    pthread_t thread;
    (void)connection;
    (void)config;
    if (mode == LATE) {
        pthread_create(&thread, NULL, send_late, NULL);
    }
    return NULL;
}

static void keep(const char *path, size_t bytes, off_t offset) {
    struct kept *one = calloc(1, sizeof *one);
    one->request = (struct request){.kind = PUT, .bytes = (uint32_t)bytes, .offset = offset};
    snprintf(one->request.path, PATH_BYTES, "%s", path);
    one->since_s = time(NULL);
    *last = one;
    last = &one->next;
    kept_bytes += bytes;
    if (mode == BEHIND && kept_bytes >= MUCH_BYTES) {
        send_kept(one->since_s);
    }
}

static int write_bytes(const char *path, const char *from, size_t bytes, off_t offset,
                       struct fuse_file_info *info) {
    char full[2 * PATH_BYTES + 2];
    struct stat facts;
    (void)info;
    pthread_mutex_lock(&mutex);
    int at = find(path, 1);
    int code = at < 0 ? -ENOSPC : (int)pwrite(files[at].memory, from, bytes, offset);
    if (code > 0 && mode != NEVER) {
        keep(path, (size_t)code, offset);
    }
    if (stat(below(path, full), &facts) == 0 && facts.st_size < offset + (off_t)bytes) {
        code = truncate(full, offset + (off_t)bytes) == 0 ? code : -errno;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static int read_bytes(const char *path, char *into, size_t bytes, off_t offset, struct fuse_file_info *info) {
    struct request request = {.kind = GET, .bytes = (uint32_t)bytes, .offset = offset};
    (void)info;
    snprintf(request.path, PATH_BYTES, "%s", path);
    pthread_mutex_lock(&mutex);
    int at = find(path, 0), code;
    if (mode == BEHIND || at < 0) {
        send_kept(time(NULL));
        code = request_one(&request, into);
    } else {
        code = (int)pread(files[at].memory, into, bytes, offset);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static int synchronise(const char *path, int only_data, struct fuse_file_info *info) {
    struct request request = {.kind = SYNCHRONISE};
    (void)only_data;
    (void)info;
    if (mode != BEHIND) {
        return 0;
    }
    snprintf(request.path, PATH_BYTES, "%s", path);
    pthread_mutex_lock(&mutex);
    send_kept(time(NULL));
    int code = request_one(&request, NULL);
    pthread_mutex_unlock(&mutex);
    return code;
}

static int close_file(const char *path, struct fuse_file_info *info) {
    return synchronise(path, 0, info);
}

static int get_facts(const char *path, struct stat *facts, struct fuse_file_info *info) {
    char full[2 * PATH_BYTES + 2];
    (void)info;
    return result(lstat(below(path, full), facts));
}

static int make_directory(const char *path, mode_t bits) {
    char full[2 * PATH_BYTES + 2];
    return result(mkdir(below(path, full), bits));
}

static int remove_directory(const char *path) {
    char full[2 * PATH_BYTES + 2];
    return result(rmdir(below(path, full)));
}

static int create(const char *path, mode_t bits, struct fuse_file_info *info) {
    char full[2 * PATH_BYTES + 2];
    int file = open(below(path, full), O_CREAT | O_RDWR, bits);
    (void)info;
    return file < 0 ? -errno : result(close(file));
}

static int open_file(const char *path, struct fuse_file_info *info) {
    char full[2 * PATH_BYTES + 2];
    (void)info;
    return result(access(below(path, full), F_OK));
}

static void forget(int at) {
    if (at >= 0) {
        close(files[at].memory);
        files[at].path[0] = '\0';
    }
}

static int remove_file(const char *path) {
    char full[2 * PATH_BYTES + 2];
    pthread_mutex_lock(&mutex);
    forget(find(path, 0));
    pthread_mutex_unlock(&mutex);
    return result(unlink(below(path, full)));
}

static int cut(const char *path, off_t bytes, struct fuse_file_info *info) {
    char full[2 * PATH_BYTES + 2];
    (void)info;
    pthread_mutex_lock(&mutex);
    int at = find(path, 0);
    int code = at >= 0 ? ftruncate(files[at].memory, bytes) : 0;
    pthread_mutex_unlock(&mutex);
    return result(code != 0 ? code : truncate(below(path, full), bytes));
}

static int move(const char *path, const char *to, unsigned flags) {
    char from[2 * PATH_BYTES + 2], full[2 * PATH_BYTES + 2];
    (void)flags;
    pthread_mutex_lock(&mutex);
    send_kept(mode == NEVER ? 0 : time(NULL));
    forget(find(to, 0));
    int at = find(path, 0);
    if (at >= 0) {
        snprintf(files[at].path, PATH_BYTES, "%s", to);
    }
    pthread_mutex_unlock(&mutex);
    return result(rename(below(path, from), below(to, full)));
}

static int change_mode(const char *path, mode_t bits, struct fuse_file_info *info) {
    char full[2 * PATH_BYTES + 2];
    (void)info;
    return result(chmod(below(path, full), bits));
}

static int change_times(const char *path, const struct timespec times[2], struct fuse_file_info *info) {
    char full[2 * PATH_BYTES + 2];
    (void)info;
    return result(utimensat(AT_FDCWD, below(path, full), times, 0));
}

static int get_room(const char *path, struct statvfs *room) {
    (void)path;
    return result(statvfs(folder, room));
}

static int list(const char *path, void *names, fuse_fill_dir_t fill, off_t offset,
                struct fuse_file_info *info, enum fuse_readdir_flags flags) {
    char full[2 * PATH_BYTES + 2];
    DIR *entries = opendir(below(path, full));
    (void)offset;
    (void)info;
    (void)flags;
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        fill(names, entry->d_name, NULL, 0, 0);
    }
    return entries != NULL ? result(closedir(entries)) : -errno;
}

int main(int argc, char **argv) {
    const struct fuse_operations operations = {.init = start_thread,
                                               .getattr = get_facts,
                                               .mkdir = make_directory,
                                               .rmdir = remove_directory,
                                               .create = create,
                                               .open = open_file,
                                               .unlink = remove_file,
                                               .read = read_bytes,
                                               .write = write_bytes,
                                               .truncate = cut,
                                               .fsync = synchronise,
                                               .flush = close_file,
                                               .statfs = get_room,
                                               .chmod = change_mode,
                                               .utimens = change_times,
                                               .rename = move,
                                               .readdir = list};
    if (argc < 4) {
        return 1;
    }
    mode = strcmp(argv[1], "never") == 0 ? NEVER : strcmp(argv[1], "late") == 0 ? LATE : BEHIND;
    folder = argv[2];
    argv[2] = argv[0];
    return start_server() == 0 ? fuse_main(argc - 2, argv + 2, &operations, NULL) : 1;
}
