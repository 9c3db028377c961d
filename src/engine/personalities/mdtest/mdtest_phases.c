/* Create, stat, read, rename and remove of all items of a rank. */
#include "clock.h"
#include "mdtest.h"
#include "shared_text.h"

#include <stdio.h>
#include <string.h>

/* One operation on an item; 0, or -1 with the problem of the run. */
typedef int act(struct mdtest_run *run, struct weir_name *name, uint64_t number);

static int mdtest_act_stat_file(struct mdtest_run *run, struct weir_name *name, uint64_t number) {
    (void)number;
    if (run->base.backend->names->stat(name, &run->base.problem) != 0) {
        return -1;
    }
    bool known = run->requested.write_bytes > 0 && (run->base.backend->traits & WEIR_STORES) != 0;
    uint64_t wanted = (uint64_t)run->requested.write_bytes;
    return !known || name->bytes == wanted
               ? 0
               : weir_problem_set(&run->base.problem, "stat", name->path, 0, "the file has another size",
                                  "%llu bytes, but -w %llu", (unsigned long long)name->bytes,
                                  (unsigned long long)wanted);
}

static struct weir_open mdtest_opening(const struct mdtest_run *run, const char *path,
                                       enum weir_access access, uint64_t bytes) {
    return (struct weir_open){.path = path,
                              .access = access,
                              .direct = run->requested.direct != 0,
                              .comm = MPI_COMM_SELF,
                              .rank = run->base.job->rank,
                              .hints = &run->base.hints,
                              .settings = run->base.settings,
                              .geometry = {.xfer_bytes = bytes, .file_bytes = bytes}};
}

/* Compare, and keep the name of the first file that differs. */
static void mdtest_compare(struct mdtest_run *run, struct weir_payload *payload, const char *path,
                           uint64_t number) {
    struct weir_verify *verify = &run->base.measure.verify;
    uint64_t before = verify->errors;
    weir_payload_check(payload, payload->buffer, number, verify);
    if (before == 0 && verify->errors > 0) {
        verify->first_offset -=
            number; /* the data hold the item's number where those of IOR hold the offset */
        snprintf(run->differs, sizeof run->differs, "%s", path);
    }
}

#define MDTEST_LOOKED 8 /* synchronisations of a rank, after which all were looked at */

/* A synchronisation of all at the end (-Y) leaves no page of which something could be told. */
static void mdtest_synced(struct mdtest_run *run, const char *path, int status) {
    uint64_t before = run->base.measure.sync_calls;
    bool is_looked = before < MDTEST_LOOKED || (before & (before - 1)) == 0; /* ever fewer */
    run->base.measure.sync_calls += status == 0;
    if (status == 0 && is_looked && strcmp(run->base.backend->name, "POSIX") == 0) {
        weir_cachestat_add(path, &run->synced);
    }
}

static int mdtest_act_create(struct mdtest_run *run, struct weir_name *name, uint64_t number) {
    const struct weir_backend *backend = run->base.backend;
    uint64_t bytes = (uint64_t)run->requested.write_bytes;
    struct weir_open how = mdtest_opening(run, name->path, WEIR_WRITE, bytes);
    struct weir_file file = {.backend = backend, .how = &how};
    int status = weir_file_open(&file, &run->base.problem);
    if (status != 0) {
        return status;
    }
    if (bytes > 0) {
        struct weir_piece piece = {WEIR_WRITE, run->written.buffer, bytes, 0};
        status = backend->transfer(&file, &piece, &run->base.problem);
        run->base.measure.moved_bytes += status == 0 ? bytes : 0;
    }
    if (status == 0 && run->requested.sync_file) {
        status = backend->sync(&file, &run->base.problem);
        mdtest_synced(run, name->path, status);
    }
    if (status == 0 && run->requested.verify_write) {
        struct weir_piece piece = {WEIR_READ, run->found.buffer, bytes, 0};
        weir_payload_spoil(&run->found, run->found.buffer);
        status = backend->transfer(&file, &piece, &run->base.problem);
        if (status == 0) {
            mdtest_compare(run, &run->found, name->path, number);
        }
    }
    run->base.measure.retries += file.retries;
    return weir_file_close(&file, &run->base.problem) != 0 ? -1 : status;
}

static int mdtest_act_read(struct mdtest_run *run, struct weir_name *name, uint64_t number) {
    const struct weir_backend *backend = run->base.backend;
    uint64_t bytes = (uint64_t)run->requested.read_bytes;
    struct weir_open how = mdtest_opening(run, name->path, WEIR_READ, bytes);
    struct weir_file file = {.backend = backend, .how = &how};
    int status = weir_file_open(&file, &run->base.problem);
    (void)number;
    if (status != 0) {
        return status;
    }
    if (bytes > 0) {
        struct weir_piece piece = {WEIR_READ, run->found.buffer, bytes, 0};
        status = backend->transfer(&file, &piece, &run->base.problem);
        run->base.measure.moved_bytes += status == 0 ? bytes : 0;
    }
    run->base.measure.retries += file.retries;
    return weir_file_close(&file, &run->base.problem) != 0 ? -1 : status;
}

/* A phase as one rank goes through it. */
struct pass {
    struct mdtest_phase *phase;
    struct mdtest_walk *walk;
    weir_name_call *call; /* the operation, where it is one bare call; else act is */
    act *act;
    const uint64_t *order; /* indices in another order, or NULL */
    uint64_t deadline_ticks;
    bool stops; /* at the first failure: what follows could only fill up the storage */
};

/* Items begin to end; returns where it stopped, at the end or at the wall. */
static uint64_t mdtest_go(struct mdtest_run *run, struct pass *pass, uint64_t begin, uint64_t end) {
    struct weir_measure *measure = &run->base.measure;
    struct weir_name name = {.settings = run->base.settings, .rank = run->base.job->rank};
    bool acts = pass->call == NULL;
    bool writes = acts && pass->act == mdtest_act_create && run->requested.write_bytes > 0;
    bool reads = acts && pass->act == mdtest_act_read && run->requested.read_bytes > 0;
    uint64_t bytes = (uint64_t)(reads ? run->requested.read_bytes : run->requested.write_bytes);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t index = pass->order != NULL ? pass->order[i] : i;
        uint64_t number = mdtest_walk_number(pass->walk, index);
        name.path = mdtest_walk_item(pass->walk, index);
        if (writes && run->packet != WEIR_PAYLOAD_TIMESTAMP) {
            weir_payload_place(&run->written, run->written.buffer, number);
        } else if (reads && pass->phase->verify) {
            weir_payload_spoil(&run->found, run->found.buffer);
        }
        uint64_t start_ticks = weir_clock_ticks();
        int status =
            pass->call != NULL ? pass->call(&name, &run->base.problem) : pass->act(run, &name, number);
        uint64_t stop_ticks = weir_clock_ticks();
        if (status != 0) {
            pass->phase->failures++;
            if (pass->stops) {
                return i;
            }
            continue;
        }
        weir_histogram_add(&measure->latency, weir_clock_ns_of(stop_ticks - start_ticks));
        measure->operations++;
        if (run->trace.records != NULL) {
            weir_trace_add(&run->trace, start_ticks, stop_ticks, WEIR_TRACE_NAME, number,
                           writes || reads ? bytes : 0);
        }
        if (writes || reads) {
            weir_timeline_add(&measure->timeline, start_ticks, stop_ticks, bytes);
        }
        if (reads && pass->phase->verify) {
            mdtest_compare(run, &run->found, name.path, number);
        }
        if (stop_ticks > pass->deadline_ticks) {
            return i + 1;
        }
    }
    return end;
}

/* Every rank makes as many as the quickest did until the wall. */
static void mdtest_wear_out(struct mdtest_run *run, struct pass *pass, uint64_t done, uint64_t requested) {
    struct weir_measure *measure = &run->base.measure;
    uint64_t mine[2] = {done, pass->phase->failures};
    uint64_t all[2];
    measure->wall_hit = done < requested && pass->phase->failures == 0;
    measure->wall_operations = done;
    measure->wall_bytes = measure->moved_bytes;
    MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_MAX, run->base.job->comm);
    measure->wall_ns = weir_clock_ns() - measure->io.start_ns;
    pass->deadline_ticks = UINT64_MAX;
    if (all[1] == 0) {
        run->made = mdtest_go(run, pass, done, all[0]);
        run->items = all[0];
    }
}

static bool mdtest_create(struct mdtest_run *run, enum mdtest_item item, int iteration) {
    const struct weir_names *names = run->base.backend->names;
    struct mdtest_walk walk;
    uint64_t requested = run->items;
    uint64_t all = requested * (uint64_t)run->base.job->size;
    struct mdtest_phase phase = {.access = "create",
                                 .item = item,
                                 .iteration = iteration,
                                 .requested_items = all,
                                 .wall = item == MDTEST_FILE && run->requested.stonewall_s > 0,
                                 .verify = item == MDTEST_FILE && run->requested.verify_write};
    struct pass pass = {.phase = &phase,
                        .walk = &walk,
                        .call = item != MDTEST_FILE        ? names->mkdir
                                : run->requested.make_node ? names->mknod
                                                           : NULL,
                        .act = mdtest_act_create,
                        .deadline_ticks = UINT64_MAX,
                        .stops = true};
    if (item == MDTEST_FILE) {
        phase.requested_bytes = all * (uint64_t)run->requested.write_bytes;
        weir_payload_fill(&run->written, (uint32_t)run->requested.signature, (uint32_t)run->base.job->rank);
        run->found.bytes = phase.verify ? (size_t)run->requested.write_bytes : run->found.bytes;
        weir_payload_fill(&run->found, (uint32_t)run->requested.signature, (uint32_t)run->base.job->rank);
    }
    mdtest_walk_begin(&walk, run, item, iteration, mdtest_owner(run, 0));
    mdtest_phase_begin(run);
    if (phase.wall) {
        pass.deadline_ticks = weir_clock_ticks() + weir_clock_ticks_of(run->requested.stonewall_s);
    }
    run->made = mdtest_go(run, &pass, 0, requested);
    if (phase.wall) {
        mdtest_wear_out(run, &pass, run->made, requested);
    }
    bool well = mdtest_phase_end(run, &phase);
    if (well && phase.wall) {
        mdtest_shape_of_items(run, run->items);
    }
    if (well && item == MDTEST_FILE && run->requested.status_file != NULL) {
        weir_status_write(run->base.job, run->requested.status_file, run->items, &run->base.problem);
        well = weir_run_settle(&run->base);
    }
    return well;
}

static bool mdtest_look(struct mdtest_run *run, struct mdtest_phase *phase, struct pass pass, int turn) {
    struct mdtest_walk walk;
    bool alone =
        run->requested.shared_file && pass.call == run->base.backend->names->unlink; /* it goes away once */
    pass.phase = phase;
    pass.walk = &walk;
    pass.deadline_ticks = UINT64_MAX;
    phase->requested_items = run->items * (alone ? 1 : (uint64_t)run->base.job->size);
    mdtest_walk_begin(&walk, run, phase->item, phase->iteration, mdtest_owner(run, turn));
    mdtest_phase_begin(run);
    if (!alone || run->base.job->rank == 0) {
        mdtest_go(run, &pass, 0, run->items);
    }
    return mdtest_phase_end(run, phase);
}

static bool mdtest_read_files(struct mdtest_run *run, int iteration) {
    struct mdtest_phase phase = {.access = "read",
                                 .item = MDTEST_FILE,
                                 .iteration = iteration,
                                 .verify = run->requested.verify_read != 0};
    size_t bytes =
        (size_t)(run->requested.read_bytes > run->requested.write_bytes ? run->requested.read_bytes
                                                                        : run->requested.write_bytes);
    phase.requested_bytes = run->items * (uint64_t)run->base.job->size * (uint64_t)run->requested.read_bytes;
    run->found.bytes = bytes; /* the tail of a file is as long as was written */
    weir_payload_fill(&run->found, (uint32_t)run->requested.signature, (uint32_t)mdtest_owner(run, 2));
    run->found.bytes = (size_t)run->requested.read_bytes;
    return mdtest_look(run, &phase, (struct pass){.act = mdtest_act_read, .order = run->order}, 2);
}

/* Each item takes the name of the one before it, the first one's is taken last, as mdtest does it. */
static bool mdtest_rename_all(struct mdtest_run *run, int iteration) {
    struct mdtest_phase phase = {.access = "rename", .item = MDTEST_DIRECTORY, .iteration = iteration};
    struct mdtest_walk walk;
    char first[MDTEST_PATH + 4], before[MDTEST_PATH + 4];
    uint64_t last = run->items - 1;
    phase.requested_items = run->items * (uint64_t)run->base.job->size;
    mdtest_walk_begin(&walk, run, MDTEST_DIRECTORY, iteration, mdtest_owner(run, 1));
    mdtest_phase_begin(run);
    for (uint64_t i = 0; i <= last; i++) {
        const char *path = mdtest_walk_item(&walk, i);
        if (i == 0) {
            snprintf(first, sizeof first, "%s-XX", path);
            snprintf(before, sizeof before, "%s", first);
        }
        struct weir_name name = {.path = i == last ? first : path,
                                 .to = before,
                                 .settings = run->base.settings,
                                 .rank = run->base.job->rank};
        uint64_t start_ticks = weir_clock_ticks();
        int status = run->base.backend->names->rename(&name, &run->base.problem);
        uint64_t ticks = weir_clock_ticks() - start_ticks;
        if (status == 0) {
            weir_histogram_add(&run->base.measure.latency, weir_clock_ns_of(ticks));
            if (run->trace.records != NULL) {
                weir_trace_add(&run->trace, start_ticks, start_ticks + ticks, WEIR_TRACE_NAME, i, 0);
            }
            run->base.measure.operations++;
        }
        phase.failures += status != 0;
        snprintf(before, sizeof before, "%s", path);
    }
    return mdtest_phase_end(run, &phase);
}

bool mdtest_items(struct mdtest_run *run, enum mdtest_item item, int iteration) {
    const struct mdtest_params *a = &run->requested;
    bool file = item == MDTEST_FILE;
    const struct weir_names *names = run->base.backend->names;
    struct mdtest_phase stat = {.access = "stat", .item = item, .iteration = iteration};
    struct mdtest_phase remove = {.access = "remove", .item = item, .iteration = iteration};
    struct pass stats = {.call = file ? NULL : names->stat, .act = mdtest_act_stat_file, .order = run->order};
    struct pass removes = {.call = file ? names->unlink : names->rmdir};
    return (!a->create || mdtest_create(run, item, iteration)) &&
           (!a->stat || mdtest_look(run, &stat, stats, 1)) &&
           (!a->read || !file || mdtest_read_files(run, iteration)) &&
           (!a->rename || file || run->items < 2 || mdtest_rename_all(run, iteration)) &&
           (!a->remove || mdtest_look(run, &remove, removes, 3));
}
