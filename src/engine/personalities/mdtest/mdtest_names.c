/* Names and numbers of files and directories, as mdtest makes them. */
#include "mdtest.h"

#include <stdio.h>
#include <string.h>

static uint64_t mdtest_power(uint64_t base, uint64_t exponent) {
    uint64_t product = 1;
    while (exponent-- > 0 && product < (1ULL << 40)) {
        product *= base;
    }
    return product;
}

/* Directories of a tree of one root, `branches` below each, `depth` levels below the root. */
static uint64_t mdtest_directories_of(uint64_t branches, uint64_t depth) {
    uint64_t sum = 0;
    for (uint64_t level = 0; level <= depth && sum < (1ULL << 40); level++) {
        sum += mdtest_power(branches, level);
    }
    return sum;
}

bool mdtest_shape_find(struct mdtest_run *run, char *complaint) {
    const struct mdtest_params *a = &run->requested;
    struct mdtest_shape *shape = &run->shape;
    uint64_t n = (uint64_t)a->items, per_dir = (uint64_t)a->items_per_dir;
    shape->directories = mdtest_directories_of((uint64_t)a->branches, (uint64_t)a->depth);
    uint64_t leaves = mdtest_power((uint64_t)a->branches, (uint64_t)a->depth);
    uint64_t holders = a->leaf_only ? leaves : shape->directories;
    REFUSE(shape->directories > (1ULL << 32), "-b %lld -z %lld: more directories than can be numbered",
           (long long)a->branches, (long long)a->depth);
    shape->first = shape->directories - holders;
    shape->loops = per_dir > 0 && n > 0 ? n / per_dir : 1;
    shape->per_dir = per_dir > 0 ? per_dir : n / holders;
    shape->per_loop = shape->per_dir * holders;
    run->items = shape->per_loop * shape->loops;
    REFUSE(run->items == 0 && (n > 0 || per_dir > 0),
           "-n %llu: the tree has %llu directories for them; give -n %llu or more", (unsigned long long)n,
           (unsigned long long)holders, (unsigned long long)holders);
    return true; /* without -n and -I only the trees are made */
}

/* A stonewall or its status file gives their number; only a flat tree has one. */
void mdtest_shape_of_items(struct mdtest_run *run, uint64_t items) {
    run->items = run->shape.per_dir = run->shape.per_loop = items;
}

int mdtest_owner(const struct mdtest_run *run, int phase) {
    return (int)((run->base.job->rank + phase * run->requested.shift) % run->base.job->size);
}

void mdtest_test_dir(const struct mdtest_run *run, int iteration, uint64_t loop, char *path) {
    const char *directory = run->requested.directory;
    bool slash = directory[strlen(directory) - 1] == '/';
    snprintf(path, MDTEST_PATH, "%s%stest-dir.%d-%llu", directory, slash ? "" : "/", iteration,
             (unsigned long long)loop);
}

/* Each directory's name has its number; the parents' names stand before it. */
static size_t mdtest_append_tree(const char *base, uint64_t branches, uint64_t k, char *path, size_t at) {
    if (k > 0) {
        at = mdtest_append_tree(base, branches, (k - 1) / branches, path, at);
    }
    int added = snprintf(path + at, MDTEST_PATH - at, "/%s.%llu", base, (unsigned long long)k);
    return at + (size_t)added < MDTEST_PATH ? at + (size_t)added : at;
}

void mdtest_tree_dir(const struct mdtest_run *run, int iteration, uint64_t loop, int owner, uint64_t k,
                     char *path) {
    char base[48] = "mdtest_tree";
    if (run->requested.unique_dir) {
        snprintf(base, sizeof base, "mdtest_tree.%d", owner);
    }
    mdtest_test_dir(run, iteration, loop, path);
    mdtest_append_tree(base, (uint64_t)run->requested.branches, k, path, strlen(path));
}

void mdtest_walk_begin(struct mdtest_walk *walk, const struct mdtest_run *run, enum mdtest_item item,
                       int iteration, int owner) {
    walk->run = run;
    walk->item = item;
    walk->iteration = iteration;
    walk->owner = owner;
    walk->loop = walk->dir = UINT64_MAX;
    walk->stem = 0;
    walk->path[0] = '\0';
}

/* Items of a rank lie in the tree of the next one: what mdtest calls a unique directory is that of rank + N.
 */
static void mdtest_enter(struct mdtest_walk *walk, uint64_t loop, uint64_t dir) {
    const struct mdtest_run *run = walk->run;
    int holder = (int)((walk->owner + run->requested.shift) % run->base.job->size);
    walk->loop = loop;
    walk->dir = dir;
    mdtest_tree_dir(run, walk->iteration, loop, holder, dir, walk->path);
    size_t length = strlen(walk->path);
    char owner[16] = "shared";
    if (!run->requested.shared_file) {
        snprintf(owner, sizeof owner, "%d", walk->owner);
    }
    int added = snprintf(walk->path + length, MDTEST_PATH - length, "/%s.mdtest.%s.",
                         walk->item == MDTEST_FILE ? "file" : "dir", owner);
    walk->stem = length + (size_t)added;
}

uint64_t mdtest_walk_number(const struct mdtest_walk *walk, uint64_t index) {
    const struct mdtest_shape *shape = &walk->run->shape;
    return index % shape->per_loop + shape->first * shape->per_dir;
}

const char *mdtest_walk_item(struct mdtest_walk *walk, uint64_t index) {
    const struct mdtest_shape *shape = &walk->run->shape;
    uint64_t loop = index / shape->per_loop;
    uint64_t number = mdtest_walk_number(walk, index);
    uint64_t dir = number / shape->per_dir;
    if (dir != walk->dir || loop != walk->loop) {
        mdtest_enter(walk, loop, dir);
    }
    /* Digits by hand: snprintf costs as much as a quick file system's stat. */
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    char *end = walk->path + walk->stem;
    while (count > 0) {
        *end++ = digits[--count];
    }
    *end = '\0';
    return walk->path;
}
