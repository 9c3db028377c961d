/* Ends of a process that no destructor sees: _exit, the calls by which it becomes another program, and
 * daemon(). */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "accounts.h"

#pragma GCC visibility push(default)

#define MOST_ARGUMENTS 4096

#define ENDING(name)                                                                                         \
    void name(int status) {                                                                                  \
        NEXT(name)                                                                                           \
        report_before_the_end();                                                                             \
        next_##name(status);                                                                                 \
        abort();                                                                                             \
    }
ENDING(_exit)
ENDING(_Exit)

#define REPLACING(name, parameters, arguments)                                                               \
    int name parameters {                                                                                    \
        NEXT(name)                                                                                           \
        report_before_the_end();                                                                             \
        int result = next_##name arguments;                                                                  \
        report_was_not_the_end();                                                                            \
        return result;                                                                                       \
    }
REPLACING(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
REPLACING(execv, (const char *path, char *const argv[]), (path, argv))
REPLACING(execvp, (const char *file, char *const argv[]), (file, argv))
REPLACING(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
REPLACING(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))

/* The lists of arguments end with NULL; without room for all the C library would fail, too. */
#define LISTED(name, next)                                                                                   \
    int name(const char *path, const char *argument, ...) {                                                  \
        char *argv[MOST_ARGUMENTS] = {(char *)(uintptr_t)argument};                                          \
        va_list list;                                                                                        \
        va_start(list, argument);                                                                            \
        for (int i = 1; argv[i - 1] != NULL && i < MOST_ARGUMENTS - 1; i++) {                                \
            argv[i] = va_arg(list, char *);                                                                  \
        }                                                                                                    \
        va_end(list);                                                                                        \
        return next(path, argv);                                                                             \
    }
LISTED(execl, execv)
LISTED(execlp, execvp)

/* The C library ends the parent, and opens the first three descriptors anew, by calls of its own. */
int daemon(int keeps_directory, int keeps_descriptors) {
    NEXT(daemon)
    report_before_the_end();
    for (int fd = 0; fd < 3 && !keeps_descriptors; fd++) {
        file_closed(fd);
    }
    return next_daemon(keeps_directory, keeps_descriptors);
}
