#include "file_layout.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define LUSTRE_MAGIC 0x0BD00BD0

extern char **environ;

static struct weir_layout_component *file_layout_begin_component(struct weir_file_layout *layout) {
    if (layout->component_count == WEIR_LAYOUT_COMPONENTS) {
        return NULL;
    }
    struct weir_layout_component *component = &layout->components[layout->component_count++];
    *component = (struct weir_layout_component){
        .end_bytes = WEIR_LAYOUT_END, .first_target = layout->target_count, .pattern = "raid0"};
    return component;
}

/* One line of a component: "key: value". */
static void file_layout_take(struct weir_layout_component *component, const char *key, const char *value) {
    if (strcmp(key, "lcme_extent.e_start") == 0) {
        component->begin_bytes = strtoull(value, NULL, 10);
    } else if (strcmp(key, "lcme_extent.e_end") == 0) {
        component->end_bytes = strcmp(value, "EOF") == 0 ? WEIR_LAYOUT_END : strtoull(value, NULL, 10);
    } else if (strcmp(key, "lmm_stripe_count") == 0) {
        component->stripe_count = strtoll(value, NULL, 10);
    } else if (strcmp(key, "lmm_stripe_size") == 0) {
        component->stripe_bytes = strtoull(value, NULL, 10);
    } else if (strcmp(key, "lmm_pattern") == 0) {
        /* In the output of Lustre before 2.10 patterns are numbers. */
        const char *known = strcmp(value, "1") == 0 ? "raid0" : strcmp(value, "100") == 0 ? "mdt" : value;
        snprintf(component->pattern, sizeof component->pattern, "%s", known);
    } else if (strcmp(key, "lmm_pool") == 0) {
        snprintf(component->pool, sizeof component->pool, "%.23s", value);
    }
}

/* "- 0: { l_ost_idx: 5, l_fid: ..." of a component, or "  5   12384594   0xbcf952   0" of a plain file. */
static bool file_layout_take_target(struct weir_file_layout *layout, const char *line) {
    const char *named = strstr(line, "l_ost_idx:");
    unsigned index;
    uint64_t object, again;
    bool found = named != NULL ? sscanf(named, "l_ost_idx: %u", &index) == 1
                               : sscanf(line, " %u %" SCNu64 " 0x%" SCNx64, &index, &object, &again) == 3 &&
                                     object == again;
    if (found) {
        weir_file_layout_add_target(layout, index);
    }
    return found;
}

/* A component begins with its id, the layout of a plain file with its stripe count. */
bool weir_file_layout_parse(FILE *text, struct weir_file_layout *layout) {
    char line[512], key[64], value[32];
    struct weir_layout_component *component = NULL;
    bool composite = false, counted = false;
    memset(layout, 0, sizeof *layout);
    while (fgets(line, sizeof line, text) != NULL) {
        bool pair = sscanf(line, " %63[a-z_.]: %31s", key, value) == 2;
        bool id = pair && strcmp(key, "lcme_id") == 0;
        bool count = pair && strcmp(key, "lmm_stripe_count") == 0;
        composite = composite || id;
        if (id || (count && !composite)) {
            if (count && counted) {
                break; /* the next file */
            }
            component = file_layout_begin_component(layout);
        }
        counted = counted || count;
        if (component != NULL && !file_layout_take_target(layout, line) && pair) {
            file_layout_take(component, key, value);
        }
    }
    return counted;
}

/* Started without a copy of this process, whose memory a network may have registered. */
static bool file_layout_lfs(const char *path, struct weir_file_layout *layout) {
    const char *const command[] = {"lfs", "getstripe", path, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    pid_t process;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    bool started =
        posix_spawnp(&process, command[0], &actions, NULL, (char **)(uintptr_t)command, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *text = fdopen(ends[0], "r");
    bool found = started && text != NULL && weir_file_layout_parse(text, layout);
    if (text != NULL) {
        fclose(text);
    } else {
        close(ends[0]);
    }
    return started && waitpid(process, &status, 0) == process && found;
}

void weir_file_layout_read(const char *path, struct weir_file_layout *layout) {
    const char *root = getenv("WEIR_LUSTRE_ROOT");
    struct statfs system;
    layout->source = NULL;
    bool lustre = statfs(path, &system) == 0 && system.f_type == LUSTRE_MAGIC;
    if (!lustre && (root == NULL || root[0] == '\0')) {
        return;
    }
    if (weir_file_layout_llapi(path, layout)) {
        layout->source = "llapi";
    } else if (file_layout_lfs(path, layout)) {
        layout->source = "lfs getstripe";
    }
}

int64_t weir_file_layout_stripes(const struct weir_file_layout *layout) {
    int64_t count = layout->component_count > 0 ? layout->components[0].stripe_count : 0;
    for (int i = 0; i < layout->component_count; i++) {
        if (layout->components[i].target_count > 0) {
            count = layout->components[i].stripe_count;
        }
    }
    return count;
}

struct weir_layout_counts *weir_file_layouts_gather(const struct weir_job *job,
                                                    const struct weir_file_layout *mine) {
    struct weir_layout_counts *counts = NULL;
    int known = mine->source != NULL;
    const int numbers = (int)(sizeof *counts / sizeof(uint32_t));
    MPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_LOR, job->comm);
    if (!known) {
        return NULL;
    }
    counts = calloc(1, sizeof *counts);
    if (!weir_job_agree(job, counts != NULL)) {
        free(counts);
        return NULL;
    }
    int64_t stripes = weir_file_layout_stripes(mine);
    if (mine->source != NULL) {
        counts->files = 1;
        counts->stripes[stripes >= 0 && stripes < WEIR_LAYOUT_TARGETS ? stripes : WEIR_LAYOUT_TARGETS] = 1;
        for (int i = 0; i < mine->target_count; i++) {
            if (mine->targets[i] < WEIR_LAYOUT_TARGETS) {
                counts->objects[mine->targets[i]]++;
            }
        }
    }
    MPI_Reduce(job->rank == 0 ? MPI_IN_PLACE : (void *)counts, counts, numbers, MPI_UINT32_T, MPI_SUM, 0,
               job->comm);
    if (job->rank != 0) {
        free(counts);
        counts = NULL;
    }
    return counts;
}
