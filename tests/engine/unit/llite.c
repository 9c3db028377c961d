/* Counters of a Lustre client, in the layouts of 2.10 and of 2.15; what cannot be read does no harm. */
#include "llite.h"

#include "check.h"

#include <string.h>

static const char before_text[] = "snapshot_time             100.5 secs.nsecs\n"
                                  "read_bytes                8 samples [bytes] 4096 1048576 5000000\n"
                                  "open                      2 samples [regs]\n"
                                  "fsync                     4 samples [regs]\n";
static const char after_text[] =
    "snapshot_time             1603.012 secs.nsecs\n"
    "start_time                1.0 secs.nsecs\n"
    "read_bytes                9 samples [bytes] 4096 1048576 6048576 123456789\n"
    "write_bytes               3 samples [bytes] 1 10 21 141\n"
    "open                      5 samples [usecs] 2 9 17 99\n"
    "fsync                     4 samples [regs]\n"
    "broken line\nx\n\n";

static void parse(const char *text, struct weir_llite *llite) {
    FILE *file = fmemopen((void *)(size_t)text, strlen(text), "r");
    memset(llite, 0, sizeof *llite);
    snprintf(llite->instance, sizeof llite->instance, "work-ffff8800");
    weir_llite_parse(file, llite);
    fclose(file);
}

static const struct weir_llite_counter *find(const struct weir_llite *llite, const char *name) {
    static const struct weir_llite_counter none = {"", 0, 0};
    for (int i = 0; i < llite->count; i++) {
        if (strcmp(llite->counters[i].name, name) == 0) {
            return &llite->counters[i];
        }
    }
    return &none;
}

/* Counters as a real client prints them, in a file of their own: calls and bytes of reads and writes. */
static void check_snapshot(const char *path) {
    struct weir_llite llite;
    FILE *file = fopen(path, "re");
    CHECK(file != NULL);
    if (file == NULL) {
        return;
    }
    memset(&llite, 0, sizeof llite);
    weir_llite_parse(file, &llite);
    fclose(file);
    CHECK(llite.count == 27);
    CHECK(find(&llite, "read_bytes")->samples == 15982966 &&
          find(&llite, "read_bytes")->sum == 5347058309918);
    CHECK(find(&llite, "write_bytes")->samples == 19380823 &&
          find(&llite, "write_bytes")->sum == 5432733414158);
    CHECK(find(&llite, "fsync")->samples == 1130 && find(&llite, "fsync")->sum == 0);
    CHECK(find(&llite, "inode_permission")->samples == 118869516);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        check_snapshot(argv[1]);
        return finish();
    }
    struct weir_llite before, after, sum = {.count = 0}, other;
    parse(before_text, &before);
    CHECK(before.count == 3);
    CHECK(find(&before, "read_bytes")->sum == 5000000);
    CHECK(find(&before, "open")->samples == 2 && find(&before, "open")->sum == 0);
    parse(after_text, &after);
    CHECK(after.count == 4);
    weir_llite_since(&before, &after);
    CHECK(after.count == 3); /* fsync did not move */
    CHECK(find(&after, "read_bytes")->samples == 1 && find(&after, "read_bytes")->sum == 1048576);
    CHECK(find(&after, "write_bytes")->samples == 3 && find(&after, "write_bytes")->sum == 21);
    CHECK(find(&after, "open")->samples == 3 && find(&after, "open")->sum == 17);
    weir_llite_add(&sum, &after);
    weir_llite_add(&sum, &before);
    CHECK(sum.count == 4 && find(&sum, "open")->samples == 5 && find(&sum, "fsync")->samples == 4);
    parse(after_text, &other);
    snprintf(other.instance, sizeof other.instance, "scratch-ffff8801");
    weir_llite_since(&before, &other);
    CHECK(other.count == 0 && other.instance[0] == '\0');
    return finish();
}
