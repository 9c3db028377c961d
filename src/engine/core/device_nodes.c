/* The devices of several nodes. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void weir_device_read_kernel(char kernel[40]) {
    if (!weir_device_read_line("/proc/sys/kernel/random/boot_id", kernel, 40)) {
        kernel[0] = '\0';
    }
}

/* By kernel and disks, so that counts of the same disks lie side by side. */
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
