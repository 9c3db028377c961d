/* A look into a hole leaves the page cache as it was: what is read later comes from the storage. */
#include "stored.h"

#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES (1u << 20)
#define PAGE  4096u

static unsigned resident_pages(int descriptor) {
    static unsigned char pages[BYTES / PAGE];
    unsigned found = 0;
    void *mapped = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, descriptor, 0);
    CHECK(mapped != MAP_FAILED && mincore(mapped, BYTES, pages) == 0);
    munmap(mapped, BYTES);
    for (unsigned i = 0; i < BYTES / PAGE; i++) {
        found += pages[i] & 1u;
    }
    return found;
}

int main(void) {
    char path[] = "/var/tmp/weir-stored-XXXXXX";
    struct weir_stored stored = {.denied_holes = 0};
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    int direct = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    CHECK(ftruncate(descriptor, BYTES) == 0 && pwrite(descriptor, path, sizeof path, 5000) == sizeof path);
    CHECK(fsync(descriptor) == 0 && posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0);
    CHECK(resident_pages(descriptor) == 0);
    CHECK(weir_bytes_before_hole(descriptor, 0, BYTES, &stored) == 0);
    /* In the hole behind the text, from an offset that is not aligned. */
    CHECK(weir_bytes_before_hole(descriptor, 5000, BYTES - 5000, &stored) == 8192 - 5000);
    CHECK(stored.denied_holes == 0);
    CHECK(direct < 0 || resident_pages(descriptor) == 0); /* tmpfs has no O_DIRECT before Linux 6.6 */
    close(direct);
    close(descriptor);
    unlink(path);
    return finish();
}
