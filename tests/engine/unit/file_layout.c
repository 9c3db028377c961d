/* Layouts as `lfs getstripe` prints them: of a plain file by Lustre 2.7, of composite files by Lustre 2.15.
 */
#include "file_layout.h"

#include "check.h"

#include <inttypes.h>
#include <string.h>

static const char plain_text[] = "run/data.00000007\n"
                                 "lmm_stripe_count:  2\n"
                                 "lmm_stripe_size:   1048576\n"
                                 "lmm_pattern:       1\n"
                                 "lmm_layout_gen:    0\n"
                                 "lmm_stripe_offset: 5\n"
                                 "\tobdidx\t\t objid\t\t objid\t\t group\n"
                                 "\t     5\t      12384594\t     0xbcf952\t             0\n"
                                 "\t     6\t      12597852\t     0xc03a5c\t             0\n"
                                 "\n"
                                 "run/data.00000008\n"
                                 "lmm_stripe_count:  3\n";

/* 64 KiB on the metadata target, two stripes of a pool, and a last component that holds nothing yet. */
static const char composite_text[] = "run/data\n"
                                     "  lcm_layout_gen:    3\n"
                                     "  lcm_mirror_count:  1\n"
                                     "  lcm_entry_count:   3\n"
                                     "    lcme_id:             1\n"
                                     "    lcme_mirror_id:      0\n"
                                     "    lcme_flags:          init\n"
                                     "    lcme_extent.e_start: 0\n"
                                     "    lcme_extent.e_end:   65536\n"
                                     "      lmm_stripe_count:  0\n"
                                     "      lmm_stripe_size:   65536\n"
                                     "      lmm_pattern:       mdt\n"
                                     "      lmm_layout_gen:    0\n"
                                     "      lmm_stripe_offset: 0\n"
                                     "\n"
                                     "    lcme_id:             2\n"
                                     "    lcme_flags:          init\n"
                                     "    lcme_extent.e_start: 65536\n"
                                     "    lcme_extent.e_end:   1073741824\n"
                                     "      lmm_stripe_count:  2\n"
                                     "      lmm_stripe_size:   1048576\n"
                                     "      lmm_pattern:       raid0\n"
                                     "      lmm_layout_gen:    0\n"
                                     "      lmm_stripe_offset: 3\n"
                                     "      lmm_pool:          flash\n"
                                     "      lmm_objects:\n"
                                     "      - 0: { l_ost_idx: 3, l_fid: [0x100030000:0x2:0x0] }\n"
                                     "      - 1: { l_ost_idx: 12, l_fid: [0x1000c0000:0x2:0x0] }\n"
                                     "\n"
                                     "    lcme_id:             3\n"
                                     "    lcme_flags:          0\n"
                                     "    lcme_extent.e_start: 1073741824\n"
                                     "    lcme_extent.e_end:   EOF\n"
                                     "      lmm_stripe_count:  -1\n"
                                     "      lmm_stripe_size:   4194304\n"
                                     "      lmm_pattern:       raid0,overstriped\n"
                                     "      lmm_stripe_offset: -1\n";

static struct weir_file_layout layout;

static bool parse(const char *text) {
    FILE *file = fmemopen((void *)(size_t)text, strlen(text), "r");
    bool found = weir_file_layout_parse(file, &layout);
    fclose(file);
    return found;
}

/* The first file of a capture of a real client, after the lines of its directory. */
static void check_capture(const char *path) {
    FILE *file = fopen(path, "re");
    CHECK(file != NULL && weir_file_layout_parse(file, &layout));
    CHECK(layout.component_count == 1 && layout.target_count == 2);
    CHECK(layout.components[0].stripe_count == 2 && layout.components[0].stripe_bytes == 1048576);
    CHECK(layout.targets[0] == 5 && layout.targets[1] == 6);
    fclose(file);
}

/* Of a capture, for the test that has it: a line for each component. */
static int print_layout(const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL || !weir_file_layout_parse(file, &layout)) {
        return 1;
    }
    fclose(file);
    for (int i = 0; i < layout.component_count; i++) {
        const struct weir_layout_component *one = &layout.components[i];
        printf("%" PRIu64 " %s %" PRId64 " of %" PRIu64 ":", one->begin_bytes, one->pattern,
               one->stripe_count, one->stripe_bytes);
        for (int target = 0; target < one->target_count; target++) {
            printf(" %" PRIu32, layout.targets[one->first_target + target]);
        }
        printf("\n");
    }
    return 0;
}

static void check_composite(void) {
    const struct weir_layout_component *components = layout.components;
    CHECK(parse(composite_text) && layout.component_count == 3 && layout.target_count == 2);
    CHECK(strcmp(components[0].pattern, "mdt") == 0 && components[0].end_bytes == 65536);
    CHECK(components[0].stripe_count == 0 && components[0].target_count == 0);
    CHECK(components[1].begin_bytes == 65536 && components[1].end_bytes == 1073741824);
    CHECK(strcmp(components[1].pool, "flash") == 0 && strcmp(components[1].pattern, "raid0") == 0);
    CHECK(components[1].stripe_count == 2 && components[1].target_count == 2);
    CHECK(layout.targets[components[1].first_target] == 3 && layout.targets[1] == 12);
    CHECK(components[2].end_bytes == WEIR_LAYOUT_END && components[2].stripe_count == -1);
    CHECK(strcmp(components[2].pattern, "raid0,overstriped") == 0 && components[2].target_count == 0);
    CHECK(weir_file_layout_stripes(&layout) == 2); /* of the last component that holds data */
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "print") == 0) {
        return print_layout(argv[2]);
    }
    if (argc > 1) {
        check_capture(argv[1]);
        return finish();
    }
    CHECK(parse(plain_text) && layout.component_count == 1);
    CHECK(strcmp(layout.components[0].pattern, "raid0") == 0 && layout.components[0].pool[0] == '\0');
    CHECK(layout.components[0].begin_bytes == 0 && layout.components[0].end_bytes == WEIR_LAYOUT_END);
    CHECK(weir_file_layout_stripes(&layout) == 2 && layout.target_count == 2);
    CHECK(layout.targets[0] == 5 && layout.targets[1] == 6);
    check_composite();
    CHECK(!parse("lfs getstripe: not on a Lustre file system\n") && !parse(""));
    return finish();
}
