/* ime-fuse: mount the store of a burst buffer. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "drain/drainer.h"
#include "mount.h"

static const char help[] =
    "ime-fuse [--config FILE] [OPTION...] MOUNTPOINT\n"
    "\n"
    "Mounts the store that FILE (default: $" CONFIG_VARIABLE
    ") describes, and returns when the mount is usable.\n"
    "It ends with `fusermount3 -u MOUNTPOINT` or with SIGTERM, SIGINT or SIGHUP to the process it prints.\n"
    "\n"
    "Options:\n"
    "  --foreground             stay in the terminal\n"
    "  --attribute-timeout S    seconds that the kernel may keep sizes and names (default 0: another\n"
    "                           interface may change them at any time)\n"
    "  --threads N              requests handled at once (default 10)\n"
    "  --allow-other            access for other users, where fuse.conf permits it; not as root\n"
    "  --help\n"
    "\n"
    "Exit code: 0 done, 1 failed, 2 wrong usage or settings.\n"
    "\n"
    "Examples:\n"
    "  ime-fuse --config ime.conf /mnt/ime\n"
    "  ime-fuse --foreground --threads 32 /mnt/ime\n";

struct arguments {
    const char *config;
    const char *folder;
    double attribute_s;
    unsigned threads;
    bool foreground;
    bool allow_other;
};

static struct mount mount;

static int fuse_usage_error(const char *what) {
    fprintf(stderr, "ime-fuse: %s: see ime-fuse --help\n", what);
    return 2;
}

static int fuse_parse(int argc, char **argv, struct arguments *arguments) {
    static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                            {"foreground", no_argument, NULL, 'f'},
                                            {"attribute-timeout", required_argument, NULL, 'a'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"allow-other", no_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    double threads;
    for (int option = 0; (option = getopt_long(argc, argv, "c:fh", options, NULL)) != -1;) {
        switch (option) {
        case 'c':
            arguments->config = optarg;
            break;
        case 'f':
            arguments->foreground = true;
            break;
        case 'a':
            if (!config_number(optarg, &arguments->attribute_s)) {
                return fuse_usage_error("--attribute-timeout takes seconds");
            }
            break;
        case 't':
            if (!config_number(optarg, &threads) || threads < 1 || threads > 1000) {
                return fuse_usage_error("--threads takes a number from 1 to 1000");
            }
            arguments->threads = (unsigned)threads;
            break;
        case 'o':
            arguments->allow_other = true;
            break;
        case 'h':
            fputs(help, stdout);
            exit(0);
        default:
            return fuse_usage_error("wrong option");
        }
    }
    if (optind + 1 != argc) {
        return fuse_usage_error("name one mount point");
    }
    arguments->folder = realpath(argv[optind], NULL);
    if (arguments->folder == NULL) {
        fprintf(stderr, "ime-fuse: %s: %s: name a folder that is there\n", argv[optind], strerror(errno));
        return 1;
    }
    if (arguments->allow_other && geteuid() == 0) {
        return fuse_usage_error(
            "--allow-other as root would give every file of other users to root: mount as another user");
    }
    return arguments->config == NULL ? fuse_usage_error("give --config FILE or set " CONFIG_VARIABLE) : 0;
}

static void fuse_on_init(void *userdata, struct fuse_conn_info *connection) {
    (void)userdata;
    const unsigned unwanted =
        FUSE_CAP_WRITEBACK_CACHE | FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_HANDLE_KILLPRIV;
    connection->want &= ~unwanted;
    connection->want |=
        connection->capable & (FUSE_CAP_ASYNC_DIO | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_ATOMIC_O_TRUNC);
    connection->max_background = 64;
    connection->congestion_threshold = 48;
}

static struct fuse_session *fuse_make_session(const struct arguments *arguments) {
    struct fuse_lowlevel_ops operations = {.init = fuse_on_init};
    set_name_operations(&operations);
    set_attribute_operations(&operations);
    set_file_operations(&operations);
    const char *options = arguments->allow_other
                              ? "auto_unmount,fsname=weir-ime,subtype=ime,default_permissions,allow_other"
                              : "auto_unmount,fsname=weir-ime,subtype=ime,default_permissions";
    char program[] = "ime-fuse";
    char flag[] = "-o";
    char *arguments_of_fuse[] = {program, flag, (char *)(uintptr_t)options};
    struct fuse_args fuse_arguments = FUSE_ARGS_INIT(3, arguments_of_fuse);
    return fuse_session_new(&fuse_arguments, &operations, sizeof operations, &mount);
}

/* The parent waits on the pipe until the mount is usable: one byte, or the end of a child that failed. */
static int fuse_become_daemon(int *ready_fd) {
    int fds[2];
    char byte;
    if (pipe(fds) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child < 0) {
        return -1;
    }
    if (child > 0) {
        close(fds[1]);
        if (read(fds[0], &byte, 1) != 1) {
            exit(1);
        }
        printf("%ld\n", (long)child);
        exit(0);
    }
    close(fds[0]);
    setsid();
    if (chdir("/") != 0) { /* or the folder that we were started in stays in use */
        return -1;
    }
    *ready_fd = fds[1];
    return 0;
}

static void fuse_report_ready(int ready_fd) {
    if (ready_fd < 0) {
        return;
    }
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    close(null);
    if (write(ready_fd, "", 1) == 1) {
        close(ready_fd);
    }
}

static int fuse_serve(struct fuse_session *session, const struct arguments *arguments, int ready_fd) {
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    if (config == NULL) {
        return 1;
    }
    fuse_loop_cfg_set_clone_fd(config, 0);
    fuse_loop_cfg_set_max_threads(config, arguments->threads);
    fuse_loop_cfg_set_idle_threads(config, arguments->threads);
    fuse_report_ready(ready_fd);
    int result = fuse_session_loop_mt(session, config);
    fuse_loop_cfg_destroy(config);
    return result < 0 ? 1 : 0; /* positive: ended by a signal, as meant */
}

static int fuse_mount_and_serve(const struct arguments *arguments, int ready_fd) {
    struct fuse_session *session = fuse_make_session(arguments);
    int code = 1;
    if (session == NULL) {
        return code;
    }
    /* libfuse leaves a signal ignored that was so from the start: right for INT and HUP (nohup), but who asks
     * by TERM means it. */
    signal(SIGTERM, SIG_DFL);
    if (fuse_set_signal_handlers(session) == 0) {
        if (fuse_session_mount(session, arguments->folder) == 0) {
            if (set_connection_flags(session) == 0) {
                code = fuse_serve(session, arguments, ready_fd);
            }
            fuse_session_unmount(session);
        }
        fuse_remove_signal_handlers(session);
    }
    fuse_session_destroy(session);
    return code;
}

static void fuse_raise_limits(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int argc, char **argv) {
    struct arguments arguments = {.config = getenv(CONFIG_VARIABLE), .threads = 10};
    struct config config;
    struct stat status;
    char message[3 * PATH_MAX];
    int ready_fd = -1;
    int code = fuse_parse(argc, argv, &arguments);
    if (code != 0) {
        return code;
    }
    if (config_read(arguments.config, &config, message, sizeof message) != 0) {
        fprintf(stderr, "ime-fuse: %s\n", message);
        return 2;
    }
    if (!arguments.foreground && fuse_become_daemon(&ready_fd) != 0) {
        perror("ime-fuse");
        return 1;
    }
    umask(0); /* the kernel has applied the caller's */
    fuse_raise_limits();
    mount.store = store_open(&config, message, sizeof message);
    if (mount.store == NULL || stat(config.backing, &status) != 0) {
        fprintf(stderr, "ime-fuse: %s\n", message);
        return 2;
    }
    drainer_revive(mount.store);
    mount.attribute_s = arguments.attribute_s;
    mount.folder = arguments.folder;
    tree_init(&mount.tree, &status);
    code = fuse_mount_and_serve(&arguments, ready_fd);
    store_close(mount.store);
    return code;
}
