#include "run.h"

#include "personality.h"

#include <stdlib.h>
#include <string.h>

/* True on all ranks where no rank complains; else rank 0 prints the complaint of the first rank that has one.
 */
static bool run_agree(const struct weir_job *job, const struct weir_personality *personality, bool good,
                      char *complaint) {
    int first = good ? job->size : job->rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, job->comm);
    if (first == job->size) {
        return true;
    }
    if (first != 0 && job->rank == first) {
        MPI_Send(complaint, WEIR_COMPLAINT, MPI_CHAR, 0, 0, job->comm);
    } else if (first != 0 && job->rank == 0) {
        MPI_Recv(complaint, WEIR_COMPLAINT, MPI_CHAR, first, 0, job->comm, MPI_STATUS_IGNORE);
    }
    if (job->rank == 0) {
        fprintf(stderr, "weir-io: %s: %s\n", personality->name, complaint);
    }
    return false;
}

/* A launcher can start ranks with different arguments (mpirun A : B); they would wait for each other for
 * ever. */
static bool run_same_arguments(const struct weir_job *job, int argc, char **argv, char *complaint) {
    uint64_t mine = 14695981039346656037u; /* FNV-1a */
    for (int i = 0; i < argc; i++) {
        for (const char *at = argv[i]; at == argv[i] || at[-1] != '\0'; at++) {
            mine = (mine ^ (unsigned char)*at) * 1099511628211u;
        }
    }
    uint64_t first = mine;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, job->comm);
    if (first != mine) {
        snprintf(complaint, WEIR_COMPLAINT,
                 "rank %d was started with other options than rank 0; hint: start all ranks alike",
                 job->rank);
    }
    return first == mine;
}

bool weir_run_settle(struct weir_run *run) {
    bool well = weir_document_settle(&run->document, &run->problem);
    run->problem = (struct weir_problem){0};
    return well;
}

void weir_run_settle_removal(struct weir_run *run, bool well) {
    if (!well) {
        run->problem = (struct weir_problem){0};
    } else if (!weir_run_settle(run)) {
        run->exit_code = WEIR_FAILED;
    }
}

struct weir_open weir_run_open(const struct weir_run *run, const char *path, enum weir_access access,
                               MPI_Comm comm) {
    return (struct weir_open){.path = path,
                              .access = access,
                              .comm = comm,
                              .rank = run->job->rank,
                              .hints = &run->hints,
                              .settings = run->settings};
}

struct weir_phase weir_run_phase(const struct weir_run *run, const char *name, int iteration,
                                 const char *path, enum weir_access access, MPI_Comm comm) {
    return (struct weir_phase){.name = name,
                               .iteration = iteration,
                               .backend = run->backend,
                               .how = weir_run_open(run, path, access, comm),
                               .barriers = true,
                               .no_residency = run->common.no_residency,
                               .limit = WEIR_NO_LIMIT};
}

static void run_release(struct weir_run *run) {
    if (run == NULL) {
        return;
    }
    if (run->personality->frame.release != NULL) {
        run->personality->frame.release(run);
    }
    weir_hints_free(&run->measure.observed.hints);
    weir_hints_free(&run->hints);
    free(run->settings);
    free(run->texts);
    free(run);
}

/* The options, and the files and variables that rank 0 reads for all. */
static struct weir_run *run_read(const struct weir_personality *personality, struct weir_job *job,
                                 const struct weir_arguments *line, void *launch) {
    char complaint[WEIR_COMPLAINT] = "no memory";
    struct weir_run *run = calloc(1, personality->frame.run_bytes);
    if (run != NULL) {
        run->personality = personality;
    }
    bool good = run_same_arguments(job, line->count, line->list, complaint);
    if (run_agree(job, personality, good && run != NULL, complaint)) {
        run->job = job;
        run->launch = launch;
        run->common = weir_common_defaults;
        run->iterations = 1;
        good = personality->frame.options(run, line->count, line->list, complaint);
        if (run_agree(job, personality, good, complaint)) {
            bool hints = run->reads_hints && (run->backend->traits & WEIR_HINTS) != 0;
            good = !hints || weir_hints_share(job, &run->hints, run->hints_file, complaint);
            if (run_agree(job, personality, good, complaint)) {
                return run;
            }
        }
    }
    run_release(run);
    return NULL;
}

static bool run_iterations(struct weir_run *run) {
    const struct weir_frame *frame = &run->personality->frame;
    if (frame->prepare != NULL && !frame->prepare(run)) {
        return false;
    }
    if (run->job->rank == 0 && frame->begin_table != NULL) {
        frame->begin_table(run);
    }
    bool well = true;
    for (int i = 0; well && i < (int)run->iterations; i++) {
        well = frame->iterate(run, i);
    }
    return (frame->finish == NULL || frame->finish(run, well)) && well;
}

/* On the ranks that take part. */
static int run_measure(struct weir_run *run) {
    const struct weir_personality *personality = run->personality;
    run->document = (struct weir_document){.job = run->job,
                                           .personality = personality->name,
                                           .file_name = run->common.document_file,
                                           .requested = personality->frame.requested,
                                           .more = personality->frame.more,
                                           .context = run};
    if (!weir_document_begin(&run->document)) {
        return WEIR_WRONG_USE;
    }
    if (run->backend != NULL && run->backend->begin != NULL) {
        run->backend->begin();
    }
    run->ended_early = !run_iterations(run);
    if (run->ended_early) {
        run->exit_code = WEIR_FAILED;
    }
    return weir_document_end(&run->document, run->exit_code);
}

/* On all ranks of the launch, with the part of them that takes part. */
static int run_on_its_ranks(const struct weir_job *launch, struct weir_run *run) {
    if (run->tasks <= 0 || run->tasks >= launch->size) {
        return run_measure(run);
    }
    struct weir_job part;
    weir_job_first_ranks(launch, (int)run->tasks, &part);
    run->job = &part;
    int code = part.comm != MPI_COMM_NULL ? run_measure(run) : WEIR_WRONG_USE;
    run->job = NULL; /* it was of this call */
    int known[2] = {code, run->ended_early};
    weir_job_wait_idle(launch->comm);
    if (part.comm != MPI_COMM_NULL) {
        weir_job_end(&part);
    }
    MPI_Bcast(known, 2, MPI_INT, 0, launch->comm);
    run->ended_early = known[1] != 0;
    return known[0];
}

struct weir_run **weir_runs_read(const struct weir_personality *personality, struct weir_job *job,
                                 const struct weir_arguments *lines, int count, void *launch) {
    char complaint[WEIR_COMPLAINT] = "no memory";
    struct weir_run **runs = calloc((size_t)count, sizeof *runs);
    if (!run_agree(job, personality, runs != NULL, complaint)) {
        free(runs);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        runs[i] = run_read(personality, job, &lines[i], launch);
        if (runs[i] == NULL) {
            weir_runs_release(runs, i);
            return NULL;
        }
    }
    return runs;
}

int weir_runs_measure(const struct weir_job *job, struct weir_run *const *runs, int count) {
    int first = WEIR_FINE;
    for (int i = 0; i < count && (i == 0 || !runs[i - 1]->ended_early); i++) {
        int code = run_on_its_ranks(job, runs[i]);
        first = first == WEIR_FINE ? code : first;
    }
    return first;
}

void weir_runs_release(struct weir_run **runs, int count) {
    for (int i = 0; runs != NULL && i < count; i++) {
        run_release(runs[i]);
    }
    free(runs);
}

static struct weir_personality *personalities;

void weir_personality_register(struct weir_personality *personality) {
    const struct weir_personality **place = (const struct weir_personality **)&personalities;
    while (*place != NULL && strcmp((*place)->name, personality->name) < 0) {
        place = (const struct weir_personality **)&((struct weir_personality *)*place)->next;
    }
    personality->next = *place;
    *place = personality;
}

const struct weir_personality *weir_personalities(void) {
    return personalities;
}

int weir_personality_main(const struct weir_personality *personality, struct weir_job *job, int argc,
                          char **argv) {
    struct weir_arguments line = {argc, argv};
    if (personality->run != NULL) {
        return personality->run(job, argc, argv);
    }
    struct weir_run **runs = weir_runs_read(personality, job, &line, 1, NULL);
    int code = runs != NULL ? weir_runs_measure(job, runs, 1) : WEIR_WRONG_USE;
    weir_runs_release(runs, 1);
    return code;
}
