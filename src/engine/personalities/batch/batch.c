/* batch: many cells in one launch, one after the other, each on as many of the first ranks as it requests. A
 * launch costs 130 to 360 ms, a small cell a few. */
#include "batch_list.h"

#include "clock.h"
#include "personality.h"
#include "shared_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void batch_help(void) {
    printf("weir-io batch LIST STATUS: runs the cells of LIST one after the other in this launch.\n\n"
           "LIST    one cell per line, arguments separated by tabs:\n"
           "        NAME RANKS FOLDER PERSONALITY WORD...\n"
           "        RANKS are the first of the job's. What the cell prints goes to stdout.txt and\n"
           "        stderr.txt in FOLDER, which must be there.\n"
           "STATUS  gets a line for each finished cell: NAME, exit code, seconds, separated by tabs\n\n"
           "A cell that fails does not end the others. Exit code: 0 all cells ended with 0, 1 one did not,\n"
           "2 wrong use, found before the first cell begins.\n\n"
           "Example:\n"
           "  printf 'a\\t1\\t/tmp/out\\tior\\t-w\\t-o\\t/tmp/a.dat\\n' > list\n"
           "  mpirun -n 2 weir-io batch list status\n");
}

static const struct weir_personality *batch_find(const char *name) {
    const struct weir_personality *p = weir_personalities();
    while (p != NULL && strcmp(p->name, name) != 0) {
        p = p->next;
    }
    return p != NULL && strcmp(p->name, "batch") != 0 ? p : NULL;
}

static bool batch_all_known(const struct batch_list *list, char *complaint) {
    for (int i = 0; i < list->count; i++) {
        const char *name = list->cells[i].arguments[0];
        REFUSE(batch_find(name) == NULL, "line %d: '%s' is not a valid personality of a cell",
               list->cells[i].line, name);
    }
    return true;
}

/* Sends a standard stream to a file of the cell; returns what it was, to be given back, or -1 after a message
 * where the file cannot be opened: the stream stays as it is. */
static int batch_divert(int stream, const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0664);
    int before = file >= 0 ? dup(stream) : -1;
    if (before < 0 || dup2(file, stream) < 0) {
        fprintf(stderr, "weir-io: batch: %s: %s; hint: the folder of a cell must be there and writable\n",
                path, strerror(errno));
    }
    if (file >= 0) {
        close(file);
    }
    return before;
}

static void batch_give_back(int stream, int before) {
    fflush(stream == STDOUT_FILENO ? stdout : stderr);
    if (before >= 0) {
        dup2(before, stream);
        close(before);
    }
}

/* The first ranks as a job of their own, made once: to part them takes some ten messages of all ranks. */
static struct weir_job *batch_job_of(struct weir_job **jobs, const struct weir_job *all, int ranks) {
    if (jobs[ranks] == NULL) {
        jobs[ranks] = malloc(sizeof *jobs[ranks]);
        if (jobs[ranks] == NULL) {
            fprintf(stderr, "weir-io: batch: no memory for a job of %d ranks\n", ranks);
            MPI_Abort(all->comm, WEIR_FAILED);
        }
        weir_job_first_ranks(all, ranks, jobs[ranks]);
    }
    return jobs[ranks];
}

static void batch_end_jobs(struct weir_job **jobs, int count) {
    for (int ranks = 1; jobs != NULL && ranks <= count; ranks++) {
        if (jobs[ranks] != NULL && jobs[ranks]->comm != MPI_COMM_NULL) {
            weir_job_end(jobs[ranks]);
        }
        free(jobs[ranks]);
    }
    free(jobs);
}

static int batch_run_cell(struct weir_job **jobs, const struct weir_job *all, const struct batch_cell *cell) {
    int code = WEIR_WRONG_USE;
    int streams[2] = {-1, -1};
    fflush(stdout);
    fflush(stderr);
    int kept = 1; /* what the cell prints */
    if (all->rank == 0) {
        streams[0] = batch_divert(STDOUT_FILENO, cell->folder, "stdout.txt");
        streams[1] = streams[0] >= 0 ? batch_divert(STDERR_FILENO, cell->folder, "stderr.txt") : -1;
        kept = streams[1] >= 0;
    }
    MPI_Bcast(&kept, 1, MPI_INT, 0, all->comm);
    struct weir_job *part = batch_job_of(jobs, all, cell->ranks);
    if (kept && part->comm != MPI_COMM_NULL) {
        part->argument_count = cell->argument_count;
        part->command_line = cell->arguments;
        code = weir_personality_main(batch_find(cell->arguments[0]), part, cell->argument_count,
                                     cell->arguments);
    }
    if (cell->ranks < all->size) {
        weir_job_wait_idle(all->comm);
    }
    if (all->rank == 0) {
        batch_give_back(STDOUT_FILENO, streams[0]);
        batch_give_back(STDERR_FILENO, streams[1]);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, all->comm);
    return code;
}

static int batch_run_all(const struct weir_job *job, const struct batch_list *list, FILE *status) {
    int failed = 0;
    struct weir_job **jobs = calloc((size_t)job->size + 1, sizeof *jobs);
    if (!weir_job_agree(job, jobs != NULL)) {
        free(jobs);
        return WEIR_FAILED;
    }
    for (int i = 0; i < list->count; i++) {
        const struct batch_cell *cell = &list->cells[i];
        uint64_t began_ns = weir_clock_ns();
        int code = batch_run_cell(jobs, job, cell);
        failed += code != WEIR_FINE;
        if (job->rank == 0) {
            fprintf(status, "%s\t%d\t%.6f\n", cell->name, code, (double)(weir_clock_ns() - began_ns) / 1e9);
            fflush(status);
        }
    }
    batch_end_jobs(jobs, job->size);
    return failed > 0 ? WEIR_FAILED : WEIR_FINE;
}

static int batch_run(struct weir_job *job, int argc, char **argv) {
    char complaint[WEIR_COMPLAINT] = "takes two arguments, LIST and STATUS";
    struct batch_list list = {NULL, NULL, 0};
    FILE *status = NULL;
    int code = WEIR_WRONG_USE;
    char *text = argc == 3 ? weir_shared_text(job, "batch", argv[1]) : NULL;
    bool good = text != NULL && batch_list_parse(&list, text, job->size, complaint) &&
                batch_all_known(&list, complaint);
    if (!good && job->rank == 0 && (argc != 3 || text != NULL)) {
        fprintf(stderr, "weir-io: batch: %s\n", complaint);
    }
    if (good && job->rank == 0) {
        status = fopen(argv[2], "w");
        if (status == NULL) {
            fprintf(stderr, "weir-io: batch: %s: %s\n", argv[2], strerror(errno));
        }
    }
    if (weir_job_agree(job, good && (job->rank != 0 || status != NULL))) {
        code = batch_run_all(job, &list, status);
    }
    if (status != NULL && fclose(status) != 0) {
        code = WEIR_FAILED;
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, job->comm);
    batch_list_free(&list);
    return code;
}

static struct weir_personality batch = {
    .name = "batch",
    .summary = "many cells in one launch",
    .help = batch_help,
    .run = batch_run,
};

WEIR_PERSONALITY(batch)
