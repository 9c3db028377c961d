/* Faults that are not preloaded. As a program (-DFILTER): runs its arguments with a filter of system calls
 * that answers fsync (or -DFILTERED) with 0. As a library with -DAUDIT: for LD_AUDIT, binds fsync to a
 * function that does nothing; with -DIDLE it binds nothing anew. As a library with -DMPI: an MPI library
 * whose MPI_File_sync does nothing; with -DMPI_READS one whose MPI_File_read_at reads /dev/zero. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#ifdef FILTER
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define NUMBER offsetof(struct seccomp_data, nr)
#ifndef FILTERED
#define FILTERED SYS_fsync
#endif
#define NOTHING_IF(call, end) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, end, 0)

int main(int count, char **words) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        NOTHING_IF(FILTERED, 2),
        NOTHING_IF(SYS_fdatasync, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO), /* with the error 0, which is success */
    };
    const struct sock_fprog filter = {sizeof program / sizeof program[0], program};
    if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("seccomp");
        return 1;
    }
    execvp(words[1], words + 1);
    perror(words[1]);
    return 1;
}
#endif

#ifdef AUDIT
#include <link.h>
#include <stdint.h>
#include <string.h>

static int nothing(int descriptor) {
    (void)descriptor;
    return 0;
}

unsigned la_version(unsigned version) {
    return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
    (void)map;
    (void)space;
    (void)cookie;
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(ElfW(Sym) * symbol, unsigned number, uintptr_t *from, uintptr_t *to, unsigned *flags,
                       const char *name) {
    (void)number;
    (void)from;
    (void)to;
    (void)flags;
#ifdef IDLE
    (void)nothing;
    (void)name;
    return symbol->st_value;
#else
    return strcmp(name, "fsync") == 0 ? (uintptr_t)nothing : symbol->st_value;
#endif
}
#endif

#ifdef MPI_READS
#include <fcntl.h>

int PMPI_Status_set_elements(void *status, void *type, int count);
int MPI_File_read_at(void *file, long long offset, void *into, int count, void *type, void *status);
int MPI_File_read_at(void *file, long long offset, void *into, int count, void *type, void *status) {
    static int source = -1;
    (void)file;
    (void)offset;
    source = source >= 0 ? source : open("/dev/zero", O_RDONLY | O_CLOEXEC);
    return read(source, into, (size_t)count) == count ? PMPI_Status_set_elements(status, type, count) : 1;
}
#endif

#ifdef MPI
int MPI_File_sync(void *file);
int MPI_File_sync(void *file) {
    (void)file;
    return 0;
}
#endif
