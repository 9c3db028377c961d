/* imectl: make, watch and empty the store of a burst buffer. */
#include "imectl.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "imectl [--config FILE] COMMAND [OPTION...] [FILE...]\n"
    "\n"
    "Commands on the store that FILE (default: $" CONFIG_VARIABLE ") describes:\n"
    "  create              make the store: fast and backing directory, capacity, granule\n"
    "  status [FILE...]    bytes resident, dirty and drained, of each buffered file and in total\n"
    "  stage-in FILE...    fetch files from the backing into the fast tier\n"
    "  drain [FILE...]     write what is dirty to the backing, now, and sync the backing\n"
    "  wait [FILE...]      until the drainer has written everything (drain = auto)\n"
    "  evict [FILE...]     free the fast tier of what is drained; dirty data stay\n"
    "  destroy             drain, then remove the store; the files stay in the backing\n"
    "  drainer             drain in the background until idle; clients start it by themselves\n"
    "\n"
    "Options:\n"
    "  --json              print JSON instead of text\n"
    "  --timeout SECONDS   wait: give up after so long; destroy: wait so long for clients to leave (5)\n"
    "  --discard           destroy: lose what is not drained\n"
    "  --detach, --stop    drainer: leave the terminal; end the one that runs\n"
    "  --help\n"
    "\n"
    "A FILE is ime://NAME, NAME below the backing, or a path below the backing or the mount.\n"
    "Exit code: 0 done, 1 failed, 2 wrong usage or settings.\n"
    "\n"
    "Examples:\n"
    "  printf 'fast = /dev/shm/bb\\nbacking = /scratch/data\\ncapacity = 4 GiB\\n' > ime.conf\n"
    "  export " CONFIG_VARIABLE "=$PWD/ime.conf\n"
    "  imectl create\n"
    "  imectl status --json\n"
    "  imectl wait --timeout 60 && imectl evict ime://ior.dat\n"
    "  imectl destroy\n";

static const struct command {
    const char *name;
    int (*run)(struct store *, const struct invocation *); /* NULL: without a store */
} commands[] = {{"status", command_status},   {"stage-in", command_stage_in},
                {"drain", command_drain},     {"wait", command_wait},
                {"evict", command_evict},     {"destroy", command_destroy},
                {"drainer", command_drainer}, {"create", NULL}};

static int imectl_usage_error(const char *what, const char *value) {
    fprintf(stderr, "imectl: %s%s: see imectl --help\n", what, value);
    return EXIT_USAGE;
}

static int imectl_create(const struct invocation *invocation) {
    char message[3 * PATH_MAX];
    if (store_create(&invocation->config, message, sizeof message) != 0) {
        fprintf(stderr, "imectl: create: %s\n", message);
        return EXIT_FAILED;
    }
    if (invocation->json) {
        printf("{\"command\": \"create\", \"errno\": 0}\n");
    } else {
        printf("created %s before %s\n", invocation->config.fast, invocation->config.backing);
    }
    return EXIT_DONE;
}

static const struct command *imectl_find(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int imectl_run_command(const struct command *command, const struct invocation *invocation) {
    char message[3 * PATH_MAX];
    if (command->run == NULL) {
        return imectl_create(invocation);
    }
    if (invocation->detach && daemon(0, 1) != 0) {
        return EXIT_FAILED;
    }
    struct store *store = store_open(&invocation->config, message, sizeof message);
    if (store == NULL) {
        fprintf(stderr, "imectl: %s\n", message);
        return EXIT_USAGE;
    }
    int code = command->run(store, invocation);
    if (command->run != command_destroy) {
        store_close(store);
    }
    return code;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},  {"json", no_argument, NULL, 'j'},
        {"timeout", required_argument, NULL, 't'}, {"discard", no_argument, NULL, 'x'},
        {"detach", no_argument, NULL, 'd'},        {"stop", no_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    static struct invocation invocation;
    const char *config = getenv(CONFIG_VARIABLE);
    char message[2 * PATH_MAX];
    for (int option = 0; (option = getopt_long(argc, argv, "c:h", options, NULL)) != -1;) {
        switch (option) {
        case 'c':
            config = optarg;
            break;
        case 'j':
            invocation.json = true;
            break;
        case 't':
            if (!config_number(optarg, &invocation.timeout_s)) {
                return imectl_usage_error("--timeout takes seconds, not ", optarg);
            }
            break;
        case 'x':
            invocation.discard = true;
            break;
        case 'd':
            invocation.detach = true;
            break;
        case 's':
            invocation.stop = true;
            break;
        case 'h':
            fputs(help, stdout);
            return EXIT_DONE;
        default:
            return imectl_usage_error("wrong option", "");
        }
    }
    if (optind == argc) {
        return imectl_usage_error("name a command", "");
    }
    invocation.command = argv[optind];
    invocation.files = argv + optind + 1;
    invocation.file_count = argc - optind - 1;
    const struct command *command = imectl_find(invocation.command);
    if (command == NULL) {
        return imectl_usage_error("no such command: ", invocation.command);
    }
    if (config == NULL) {
        return imectl_usage_error("no settings: give --config FILE or set ", CONFIG_VARIABLE);
    }
    if (config_read(config, &invocation.config, message, sizeof message) != 0) {
        fprintf(stderr, "imectl: %s\n", message);
        return EXIT_USAGE;
    }
    return imectl_run_command(command, &invocation);
}
