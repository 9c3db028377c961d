#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drain/drainer.h"

/* imectl lies beside the library in a build tree and in ../bin of an installed one; IME_IMECTL overrides. */
static bool spawn_find_imectl(char path[PATH_MAX]) {
    static const char *const places[] = {"/imectl", "/../bin/imectl"};
    const char *named = getenv("IME_IMECTL");
    Dl_info info;
    if (named != NULL) {
        snprintf(path, PATH_MAX, "%s", named);
        return access(path, X_OK) == 0;
    }
    if (dladdr((const void *)&config_read, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", info.dli_fname);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int length = snprintf(path, PATH_MAX, "%s%s", folder, places[i]);
        if (length > 0 && length < PATH_MAX && access(path, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

static void spawn_detach(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes) {
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(actions);
    posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(actions, 0, 1);
    posix_spawn_file_actions_adddup2(actions, 0, 2);
    posix_spawn_file_actions_addclosefrom_np(actions, 3); /* or a launcher waits for our pipes to close */
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
}

static char **spawn_environment_without_preload(void) {
    extern char **environ;
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0, j = 0; copy != NULL && i < count; i++) {
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0) {
            copy[j++] = environ[i];
        }
    }
    return copy;
}

int spawn_drainer(const char *config_file) {
    char program[PATH_MAX];
    if (!spawn_find_imectl(program)) {
        return ENOENT;
    }
    char name[] = "imectl";
    char command[] = "drainer";
    char detached[] = "--detach";
    char option[] = "--config";
    char config[PATH_MAX];
    snprintf(config, sizeof config, "%s", config_file);
    char *arguments[] = {name, command, detached, option, config, NULL};
    char **environment = spawn_environment_without_preload();
    if (environment == NULL) {
        return ENOMEM;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    spawn_detach(&actions, &attributes);
    int error = posix_spawn(&child, program, &actions, &attributes, arguments, environment);
    if (error == 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        } /* it forks and ends at once, so that no zombie of ours is left */
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return error;
}
