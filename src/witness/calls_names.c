/* The calls on names that are counted. Each is passed on unchanged, and errno is the next one's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "witness.h"

/* All else of the library is hidden: its names must not replace a program's. */
#pragma GCC visibility push(default)

#define NAMED(kind, name, parameters, arguments, directory, path)                                            \
    int name parameters {                                                                                    \
        NEXT(name)                                                                                           \
        name_begins(kind, directory, path);                                                                  \
        int result = next_##name arguments;                                                                  \
        int error = errno;                                                                                   \
        name_done(kind, directory, path, result);                                                            \
        errno = error;                                                                                       \
        return result;                                                                                       \
    }

NAMED(NAME_MKDIR, mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
NAMED(NAME_MKDIR, mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode), directory,
      path)
NAMED(NAME_RMDIR, rmdir, (const char *path), (path), AT_FDCWD, path)
NAMED(NAME_UNLINK, unlink, (const char *path), (path), AT_FDCWD, path)
NAMED((flags & AT_REMOVEDIR) != 0 ? NAME_RMDIR : NAME_UNLINK, unlinkat,
      (int directory, const char *path, int flags), (directory, path, flags), directory, path)
NAMED(NAME_UNLINK, remove, (const char *path), (path), AT_FDCWD, path)
NAMED(NAME_CREATE, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), AT_FDCWD, path)
NAMED(NAME_CREATE, mknodat, (int directory, const char *path, mode_t mode, dev_t device),
      (directory, path, mode, device), directory, path)
NAMED(NAME_RENAME, rename, (const char *from, const char *to), (from, to), AT_FDCWD, to)
NAMED(NAME_RENAME, renameat, (int old, const char *from, int directory, const char *to),
      (old, from, directory, to), directory, to)
NAMED(NAME_RENAME, renameat2, (int old, const char *from, int directory, const char *to, unsigned flags),
      (old, from, directory, to, flags), directory, to)

#define STATS(suffix)                                                                                        \
    NAMED(NAME_STAT, stat##suffix, (const char *restrict path, struct stat##suffix *restrict facts),         \
          (path, facts), AT_FDCWD, path)                                                                     \
    NAMED(NAME_STAT, lstat##suffix, (const char *restrict path, struct stat##suffix *restrict facts),        \
          (path, facts), AT_FDCWD, path)                                                                     \
    NAMED(NAME_STAT, fstatat##suffix,                                                                        \
          (int directory, const char *restrict path, struct stat##suffix *restrict facts, int flags),        \
          (directory, path, facts, flags), directory, path)
STATS()
STATS(64)
NAMED(NAME_STAT, statx,
      (int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict facts),
      (directory, path, flags, mask, facts), directory, path)

/* What programs built with a glibc before 2.33 call instead. */
#define OLD_STATS(suffix)                                                                                    \
    int __xstat##suffix(int version, const char *path, struct stat##suffix *facts);                          \
    int __lxstat##suffix(int version, const char *path, struct stat##suffix *facts);                         \
    int __fxstatat##suffix(int version, int directory, const char *path, struct stat##suffix *facts,         \
                           int flags);                                                                       \
    NAMED(NAME_STAT, __xstat##suffix, (int version, const char *path, struct stat##suffix *facts),           \
          (version, path, facts), AT_FDCWD, path)                                                            \
    NAMED(NAME_STAT, __lxstat##suffix, (int version, const char *path, struct stat##suffix *facts),          \
          (version, path, facts), AT_FDCWD, path)                                                            \
    NAMED(NAME_STAT, __fxstatat##suffix,                                                                     \
          (int version, int directory, const char *path, struct stat##suffix *facts, int flags),             \
          (version, directory, path, facts, flags), directory, path)
OLD_STATS()
OLD_STATS(64)
