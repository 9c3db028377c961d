#include "document.h"

#include "clock.h"
#include "closing.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROBLEMS_KEPT 64 /* a longer list is of no use */

struct weir_result *weir_document_add(struct weir_document *document, const struct weir_result *result) {
    if (document->job->rank != 0) {
        return NULL;
    }
    size_t bytes = sizeof *result * (size_t)(document->result_count + 1);
    struct weir_result *results = realloc(document->results, bytes);
    if (results == NULL) {
        fprintf(stderr, "weir-io: no memory for %zu bytes of results\n", bytes);
        MPI_Abort(document->job->comm, WEIR_FAILED);
    }
    document->results = results;
    results[document->result_count] = *result;
    return &results[document->result_count++];
}

static bool document_same_kind(const struct weir_problem *a, const struct weir_problem *b) {
    return a->errnum == b->errnum && strcmp(a->call, b->call) == 0 && strcmp(a->error, b->error) == 0;
}

/* One message for each kind of failure, by the first rank that met it. */
static void document_print_problems(const struct weir_problem *all, int count) {
    for (int i = 0; i < count; i++) {
        int earlier = 0, later = 0;
        char line[2048];
        for (int j = 0; weir_problem_is_set(&all[i]) && j < count; j++) {
            if (j != i && document_same_kind(&all[i], &all[j])) {
                j < i ? earlier++ : later++;
            }
        }
        if (weir_problem_is_set(&all[i]) && earlier == 0) {
            weir_problem_sentence(&all[i], later, line, sizeof line);
            fprintf(stderr, "%s\n", line);
        }
    }
    fflush(stderr);
}

static void document_keep_problems(struct weir_document *document, const struct weir_problem *all,
                                   int count) {
    if (document->problems == NULL) {
        document->problems = calloc(PROBLEMS_KEPT, sizeof *document->problems);
    }
    for (int i = 0; document->problems != NULL && i < count; i++) {
        if (weir_problem_is_set(&all[i]) && document->problem_count < PROBLEMS_KEPT) {
            document->problems[document->problem_count++] = all[i];
        }
    }
}

void weir_document_note(struct weir_document *document, const struct weir_problem *problem) {
    if (document->job->rank == 0) {
        fflush(stdout);
        document_print_problems(problem, 1);
        document_keep_problems(document, problem, 1);
    }
}

bool weir_document_settle(struct weir_document *document, const struct weir_problem *problem) {
    const struct weir_job *job = document->job;
    if (weir_job_agree(job, !weir_problem_is_set(problem))) {
        return true;
    }
    fflush(stdout);
    struct weir_problem *all = NULL;
    if (job->rank == 0) {
        all = calloc((size_t)job->size, sizeof *all);
    }
    MPI_Gather(problem, sizeof *problem, MPI_BYTE, all, sizeof *problem, MPI_BYTE, 0, job->comm);
    for (int i = 0; all != NULL && i < job->size; i++) {
        all[i].rank = i;
    }
    if (all != NULL) {
        document_print_problems(all, job->size);
        document_keep_problems(document, all, job->size);
        free(all);
    }
    return false;
}

static void document_name_of_part(const struct weir_document *document, char *name, size_t bytes) {
    snprintf(name, bytes, "%s.part", document->file_name);
}

/* Opened, written and closed each time: other nodes see only what was closed. The last result is written
 * anew, because it may have got its verdict. Where it fails nothing stays: it would be unknown how much of it
 * there is. */
static bool document_put_down(struct weir_document *document, bool end, bool done) {
    char name[1100];
    struct weir_json text = document->text;
    bool begins = text.depth == 0;
    document_name_of_part(document, name, sizeof name);
    text.file = fopen(name, begins ? "w" : "r+");
    if (text.file == NULL) {
        return false;
    }
    if (begins) {
        weir_document_write_head(&text, document);
        document->text = text;
        document->text_bytes = ftell(text.file);
    }
    bool good = fseek(text.file, document->text_bytes, SEEK_SET) == 0;
    for (int i = document->results_before; i < document->result_count; i++) {
        document->text = text;
        document->text_bytes = ftell(text.file);
        document->results_before = i;
        weir_document_write_result(&text, document, &document->results[i]);
    }
    if (end) {
        weir_document_write_tail(&text, document->problems, document->problem_count, done);
    }
    good = good && fflush(text.file) == 0 && ftruncate(fileno(text.file), ftell(text.file)) == 0;
    good = fclose(text.file) == 0 && good;
    if (!good) {
        int cause = errno;
        unlink(name);
        document->text = (struct weir_json){0};
        document->results_before = 0;
        errno = cause;
    }
    return good;
}

/* Where that fails, it is tried again at the run's end, which reports it. */
void weir_document_put_down(struct weir_document *document) {
    if (document->job->rank == 0 && document->job->size > 1 && document->file_name != NULL) {
        document_put_down(document, false, false);
    }
}

/* Renamed when it is whole, so that a reader finds the whole document or none. */
static bool document_save(struct weir_document *document, bool done) {
    char name[1100];
    document_name_of_part(document, name, sizeof name);
    if (!document_put_down(document, true, done) || rename(name, document->file_name) != 0) {
        fprintf(stderr, "weir-io: cannot write the summary file %s: %s\n", document->file_name,
                strerror(errno));
        unlink(name);
        return false;
    }
    return true;
}

/* Copies what rank 0 put down; 0 where it is nothing, else the last character. */
static int document_copy_part(const char *name, FILE *to) {
    WEIR_FILE *from = fopen(name, "r");
    int last = 0;
    for (int c; from != NULL && (c = fgetc(from)) != EOF;) {
        last = fputc(c, to);
    }
    return last;
}

/* Several ranks may do this at the same time: each writes a file of its own, and one of them stays. */
static void document_rescue_part(const struct weir_document *document) {
    char part[1100], own[1150];
    document_name_of_part(document, part, sizeof part);
    snprintf(own, sizeof own, "%s.%d", part, document->job->rank);
    FILE *file = fopen(own, "w");
    int last = file != NULL ? document_copy_part(part, file) : 0;
    if (last != 0) { /* in the list of results, behind one or at its beginning */
        struct weir_json text = {.file = file, .depth = 2, .first = last == '['};
        weir_document_write_tail(&text, document->problems, document->problem_count, false);
    }
    bool good = file != NULL && ferror(file) == 0;
    good = file != NULL && fclose(file) == 0 && good && last != 0;
    if (good && rename(own, document->file_name) == 0) {
        unlink(part);
    } else {
        unlink(own);
    }
}

/* What was put down becomes the document of a run that failed with this problem. */
static void document_rescue(void *own, const struct weir_problem *problem) {
    struct weir_document *document = own;
    if (document->file_name == NULL) {
        return;
    }
    document_keep_problems(document, problem, 1);
    document_rescue_part(document);
}

bool weir_document_begin(struct weir_document *document) {
    int good = 1;
    weir_clock_iso8601(document->began);
    weir_interposed_find(document->job, document->interposed);
    if (document->job->rank == 0 && document->file_name != NULL) {
        char directory[1024];
        struct stat facts;
        /* The document takes the name of what is there: of /dev/stdout, too, where root may do that. */
        bool is_other = lstat(document->file_name, &facts) == 0 && !S_ISREG(facts.st_mode);
        weir_directory_of(document->file_name, directory, sizeof directory);
        if (is_other || access(directory, W_OK | X_OK) != 0) {
            fprintf(stderr, "weir-io: cannot write the summary file %s: %s\n", document->file_name,
                    is_other ? "something else than a file has this name" : strerror(errno));
            good = 0;
        }
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, document->job->comm);
    weir_stuck_begin(&document->stuck, document->job->rank, document_rescue, document);
    return good != 0;
}

int weir_document_end(struct weir_document *document, int exit_code) {
    weir_stuck_end(&document->stuck);
    if (document->job->rank == 0 && document->file_name != NULL &&
        !document_save(document, exit_code == WEIR_FINE)) {
        exit_code = WEIR_FAILED;
    }
    for (int i = 0; i < document->result_count; i++) {
        weir_result_free(&document->results[i]);
    }
    free(document->results);
    free(document->problems);
    MPI_Bcast(&exit_code, 1, MPI_INT, 0, document->job->comm);
    return exit_code;
}
