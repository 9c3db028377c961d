/* A supervisor of system calls, as a sandbox has one, that answers some of them itself:
 *
 *   supervisor MODE PART PROGRAM [ARGUMENTS]
 *
 * Files whose name has PART in it are concerned. writes: a write only makes the file longer. syncs: an fsync
 * does nothing, and a look at the pages (cachestat) finds them clean. No library is preloaded and no call of
 * another object (a pipe, a file elsewhere) is answered. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SYS_CACHESTAT 451 /* the headers may be older than the kernel */
#define PATH_BYTES    4096

static int fail(const char *what) {
    perror(what);
    return 1;
}

/* Of the calls that are answered, in the process that becomes the program. */
static int listener_of(const char *mode) {
    int syncs = strcmp(mode, "syncs") == 0;
    unsigned first = syncs ? SYS_fsync : SYS_pwrite64, second = syncs ? SYS_CACHESTAT : SYS_write;
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    const struct sock_fprog filter = {sizeof program / sizeof program[0], program};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
}

static void pass(int socket, struct msghdr *message, char *room, size_t bytes, int descriptor) {
    memset(room, 0, bytes);
    message->msg_control = room;
    message->msg_controllen = bytes;
    struct cmsghdr *part = CMSG_FIRSTHDR(message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    sendmsg(socket, message, 0);
}

/* Gives a descriptor to the other end, or takes one (-1). */
static int shared(int socket, int descriptor) {
    char byte = 0, room[CMSG_SPACE(sizeof descriptor)];
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (descriptor >= 0) {
        pass(socket, &message, room, sizeof room, descriptor);
        return descriptor;
    }
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    if (recvmsg(socket, &message, 0) < 1 || CMSG_FIRSTHDR(&message) == NULL) {
        return -1;
    }
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

static int is_longer(const char *path, off_t end) {
    struct stat facts;
    return stat(path, &facts) == 0 && (facts.st_size >= end || truncate(path, end) == 0);
}

/* Where a write without an offset would begin. */
static off_t position(const struct seccomp_notif *call) {
    char path[64];
    long long found = 0;
    snprintf(path, sizeof path, "/proc/%u/fdinfo/%d", call->pid, (int)call->data.args[0]);
    FILE *facts = fopen(path, "r");
    if (facts == NULL || fscanf(facts, "pos: %lld", &found) != 1) {
        found = 0;
    }
    if (facts != NULL) {
        fclose(facts);
    }
    return (off_t)found;
}

static void finds_clean(const struct seccomp_notif *call) {
    uint64_t pages[5] = {1024};
    struct iovec ours = {pages, sizeof pages};
    struct iovec theirs = {(void *)(uintptr_t)call->data.args[2], sizeof pages};
    process_vm_writev((pid_t)call->pid, &ours, 1, &theirs, 1, 0);
}

static void answer(const struct seccomp_notif *call, const char *part, struct seccomp_notif_resp *reply) {
    char link[64], path[PATH_BYTES];
    snprintf(link, sizeof link, "/proc/%u/fd/%d", call->pid, (int)call->data.args[0]);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    reply->id = call->id;
    if (strstr(path, part) == NULL) {
        reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    } else if (call->data.nr == SYS_CACHESTAT) {
        finds_clean(call);
    } else if (call->data.nr != SYS_fsync) {
        off_t begin = call->data.nr == SYS_write ? position(call) : (off_t)call->data.args[3];
        int64_t bytes = (int64_t)call->data.args[2];
        reply->val = is_longer(link, begin + bytes) ? bytes : 0;
    }
}

static int supervise(int listener, const char *part) {
    struct pollfd calls = {.fd = listener, .events = POLLIN};
    while (poll(&calls, 1, -1) >= 0 && (calls.revents & POLLHUP) == 0) {
        struct seccomp_notif call = {0};
        struct seccomp_notif_resp reply = {0};
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0) {
            answer(&call, part, &reply);
            ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
        }
    }
    return 0;
}

int main(int count, char **words) {
    int ends[2];
    if (count < 4 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail("supervisor");
    }
    if (fork() == 0) {
        close(ends[1]);
        return supervise(shared(ends[0], -1), words[2]);
    }
    int listener = listener_of(words[1]);
    if (listener < 0) {
        return fail("seccomp");
    }
    shared(ends[1], listener);
    close(listener);
    execvp(words[3], words + 3);
    return fail(words[3]);
}
