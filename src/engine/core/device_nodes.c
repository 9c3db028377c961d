/* The devices of several nodes. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>

#define PROC_SUPER_MAGIC 0x9fa0
#define BILLION          INT64_C(1000000000)

/* When the kernel booted: the difference of two clocks that a kernel steps and slews together. It is the same
 * in all its containers; kernels that booted within the same 100 us are rare. */
static void device_nodes_booted(char kernel[40]) {
    int64_t best_ns = INT64_MAX, at_ns = 0;
    for (int i = 0; i < 100; i++) {
        struct timespec before, now, after;
        clock_gettime(CLOCK_BOOTTIME, &before);
        clock_gettime(CLOCK_REALTIME, &now);
        clock_gettime(CLOCK_BOOTTIME, &after);
        int64_t before_ns = before.tv_sec * BILLION + before.tv_nsec;
        int64_t took_ns = after.tv_sec * BILLION + after.tv_nsec - before_ns;
        if (took_ns < best_ns) {
            best_ns = took_ns;
            at_ns = now.tv_sec * BILLION + now.tv_nsec - before_ns - took_ns / 2;
        }
    }
    snprintf(kernel, 40, "booted at %.4f", (double)(at_ns / 100000) / 10000);
}

/* A container may have a boot_id of its own, as those of systemd-nspawn: a file that is mounted over it. */
void weir_device_read_kernel(char kernel[40]) {
    static const char path[] = "/proc/sys/kernel/random/boot_id";
    struct statfs where;
    if (statfs(path, &where) == 0 && where.f_type != PROC_SUPER_MAGIC) {
        device_nodes_booted(kernel);
    } else if (!weir_device_read_line(path, kernel, 40)) {
        kernel[0] = '\0';
    }
}

/* Orders by kernel and disks, so that counts of the same disks lie side by side. */
static int nodes_compare(const void *left, const void *right) {
    const struct weir_device *one = left, *two = right;
    int order = strcmp(one->kernel, two->kernel);
    order = order != 0 ? order : one->parts - two->parts;
    order = order != 0 ? order : memcmp(one->major_of, two->major_of, sizeof one->major_of);
    return order != 0 ? order : memcmp(one->minor_of, two->minor_of, sizeof one->minor_of);
}

void weir_device_join(struct weir_device *nodes, int count, struct weir_device *all) {
    *all = nodes[0];
    memset(all->counts, 0, sizeof all->counts);
    for (int i = 0; i < count && all->name[0] != '\0'; i++) {
        all->counts_flushes = all->counts_flushes && nodes[i].counts_flushes;
        if (nodes[i].mirrors_least < all->mirrors_least) {
            all->mirrors_least = nodes[i].mirrors_least;
        }
        if (nodes[i].mirrors_most > all->mirrors_most) {
            all->mirrors_most = nodes[i].mirrors_most;
        }
        if (nodes[i].name[0] == '\0') {
            all->name[0] = '\0';
            snprintf(all->reason, sizeof all->reason, "a node shows no device with counters");
        }
    }
    qsort(nodes, (size_t)count, sizeof *nodes, nodes_compare);
    for (int i = 0, next; i < count; i = next) {
        const struct weir_device *first = &nodes[i];
        next = i + 1;
        while (next < count && first->kernel[0] != '\0' && nodes_compare(first, &nodes[next]) == 0) {
            next++;
        }
        for (int c = 0; c < WEIR_DEVICE_COUNTS; c++) {
            uint64_t least = UINT64_MAX, most = 0;
            for (const struct weir_device *one = first; one < &nodes[next]; one++) {
                least = one->before[c] < least ? one->before[c] : least;
                most = one->before[c] + one->counts[c] > most ? one->before[c] + one->counts[c] : most;
            }
            all->counts[c] += most - least;
        }
    }
}
