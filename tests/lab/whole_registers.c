/* For a guest kernel on a processor with more registers than the kernel knows, as with AMX: the host takes
 * them as a whole alone, so that the kernel's own part of them is put into what is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#define WHOLE_BYTES 65536

typedef long (*ptrace_call)(enum __ptrace_request, pid_t, void *, void *);

/* In place of the C library's; a guest kernel has one thread. */
long ptrace(enum __ptrace_request request, ...) {
    static ptrace_call host;
    static char whole[WHOLE_BYTES];
    va_list list;
    va_start(list, request);
    pid_t pid = va_arg(list, pid_t);
    void *address = va_arg(list, void *);
    void *data = va_arg(list, void *);
    va_end(list);
    if (host == NULL) {
        host = (ptrace_call)dlsym(RTLD_NEXT, "ptrace");
    }
    bool is_of_registers = request == PTRACE_GETREGSET || request == PTRACE_SETREGSET;
    if (!is_of_registers || (size_t)address != NT_X86_XSTATE) {
        return host(request, pid, address, data);
    }
    struct iovec *part = data;
    struct iovec all = {whole, sizeof whole};
    long failed = host(PTRACE_GETREGSET, pid, address, &all);
    if (failed != 0) {
        return failed;
    }
    size_t bytes = part->iov_len < all.iov_len ? part->iov_len : all.iov_len;
    if (request == PTRACE_GETREGSET) {
        memcpy(part->iov_base, whole, bytes);
        part->iov_len = bytes;
        return 0;
    }
    memcpy(whole, part->iov_base, bytes);
    return host(PTRACE_SETREGSET, pid, address, &all);
}
