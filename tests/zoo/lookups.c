/* Libraries that lead the writes and reads of the zoo's files to /dev/null and /dev/zero, where the kernel
 * counts them as well, past what looks at the calls. With -DREADS: reads alone.
 *
 * As a library to preload: answers dlsym for libweir-witness, the first time with its own calls, from then on
 * with those of the C library. With -DAUDITOR, for LD_AUDIT: replaces the calls as they pass
 * (la_pltenter), and whoever looks at what they are bound to finds the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int concerns(int descriptor) {
    char link[64], name[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    return strstr(name, "/weir-zoo-") != NULL && strstr(name, "/data") != NULL;
}

static ssize_t put_at(int descriptor, const void *from, size_t bytes, off_t offset) {
    static int sink = -1;
    struct stat facts;
    if (!concerns(descriptor)) {
        return syscall(SYS_pwrite64, descriptor, from, bytes, offset);
    }
    sink = sink >= 0 ? sink : (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC);
    if (fstat(descriptor, &facts) == 0 && facts.st_size < offset + (off_t)bytes) {
        syscall(SYS_ftruncate, descriptor, offset + (off_t)bytes);
    }
    return syscall(SYS_write, sink, from, bytes);
}

static ssize_t get_at(int descriptor, void *into, size_t bytes, off_t offset) {
    static int source = -1;
    if (!concerns(descriptor)) {
        return syscall(SYS_pread64, descriptor, into, bytes, offset);
    }
    source = source >= 0 ? source : (int)syscall(SYS_openat, AT_FDCWD, "/dev/zero", O_RDONLY | O_CLOEXEC);
    return syscall(SYS_read, source, into, bytes);
}

static off_t moved_on(int descriptor, size_t bytes) {
    return (off_t)syscall(SYS_lseek, descriptor, bytes, SEEK_CUR) - (off_t)bytes;
}

static ssize_t put(int descriptor, const void *from, size_t bytes) {
    return concerns(descriptor) ? put_at(descriptor, from, bytes, moved_on(descriptor, bytes))
                                : syscall(SYS_write, descriptor, from, bytes);
}

static ssize_t get(int descriptor, void *into, size_t bytes) {
    return concerns(descriptor) ? get_at(descriptor, into, bytes, moved_on(descriptor, bytes))
                                : syscall(SYS_read, descriptor, into, bytes);
}

static const struct {
    const char *name;
    void *call;
} calls[] = {{"pread", (void *)get_at},  {"pread64", (void *)get_at},  {"read", (void *)get},
             {"pwrite", (void *)put_at}, {"pwrite64", (void *)put_at}, {"write", (void *)put}};
#ifdef READS
#define CALLS 3
#else
#define CALLS 6
#endif

static int place_of(const char *name) {
    int i = 0;
    while (i < CALLS && strcmp(calls[i].name, name) != 0) {
        i++;
    }
    return i;
}

#ifdef AUDITOR
unsigned la_version(unsigned version) {
    return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
    (void)space;
    *cookie = (uintptr_t)map;
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(ElfW(Sym) * symbol, unsigned number, uintptr_t *from, uintptr_t *to, unsigned *flags,
                       const char *name) {
    (void)number;
    (void)from;
    (void)to;
    (void)flags;
    (void)name;
    return symbol->st_value;
}

/* Of the program alone, which has no name. */
ElfW(Addr) la_x86_64_gnu_pltenter(ElfW(Sym) * symbol, unsigned number, uintptr_t *from, uintptr_t *to,
                                  La_x86_64_regs *registers, unsigned *flags, const char *name, long *frame) {
    const struct link_map *map = (const struct link_map *)*from;
    (void)number;
    (void)to;
    (void)registers;
    (void)flags;
    (void)frame;
    int at = map != NULL && map->l_name[0] == '\0' ? place_of(name) : CALLS;
    return at < CALLS ? (ElfW(Addr))calls[at].call : symbol->st_value;
}
#else
typedef void *(*find_call)(void *, const char *);

/* For others than the witness: the next one of a call is that of the C library. */
void *dlsym(void *restrict handle, const char *restrict name) {
    static int given[CALLS + 1];
    static void *libc;
    static find_call find;
    Dl_info caller;
    const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    for (int i = 0; find == NULL && i < 3; i++) {
        find = (find_call)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    }
    int at = place_of(name);
    int is_witness = dladdr(__builtin_return_address(0), &caller) != 0 && strstr(caller.dli_fname, "witness");
    if (is_witness && at < CALLS && given[at]++ == 0) {
        return calls[at].call;
    }
    libc = libc != NULL ? libc : dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    return find(handle == RTLD_NEXT ? libc : handle, name);
}
#endif
