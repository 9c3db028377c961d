/* weir-io <personality> <its options>: one measuring program with the faces of many. */
#include "backend.h"
#include "clock.h"
#include "personality.h"
#include "stuck.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void main_usage(FILE *out) {
    fprintf(out,
            "weir-io %s measures storage and proves what it measured.\n\n"
            "  weir-io PERSONALITY OPTIONS      run; mpirun in front for several ranks\n"
            "  weir-io PERSONALITY --help       the options of a personality\n"
            "  weir-io --version\n\n"
            "Personalities:\n",
            WEIR_VERSION);
    for (const struct weir_personality *p = weir_personalities(); p != NULL; p = p->next) {
        fprintf(out, "  %-16s %s\n", p->name, p->summary);
    }
    fprintf(out, "\nBack ends:\n");
    for (const struct weir_backend *b = weir_backends(); b != NULL; b = b->next) {
        fprintf(out, "  %-16s %s\n", b->name, b->summary);
    }
    fprintf(out,
            "\nExample:\n  mpirun -n 2 weir-io ior -a POSIX -w -r -t 1m -b 16m -e -g -o /tmp/weir.dat\n");
}

static bool main_is_option(const char *argument, const char *letter, const char *name) {
    return strcmp(argument, letter) == 0 || strcmp(argument, name) == 0;
}

/* The personality that a link to weir-io is named after; NULL: the first argument names it. */
static const struct weir_personality *main_named(const char *program) {
    const char *slash = strrchr(program, '/');
    const struct weir_personality *p = weir_personalities();
    while (p != NULL && strcmp(p->name, slash != NULL ? slash + 1 : program) != 0) {
        p = p->next;
    }
    return p;
}

static const struct weir_personality *main_choose(const char *name) {
    const char *names[64];
    int count = 0;
    for (const struct weir_personality *p = weir_personalities(); p != NULL; p = p->next) {
        if (strcmp(p->name, name) == 0) {
            return p;
        }
        if (count < 64) {
            names[count++] = p->name;
        }
    }
    const char *near = weir_nearest(name, names, count);
    fprintf(stderr, "weir-io: there is no personality '%s'%s%s%s; weir-io --help lists them\n", name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

/* What needs no measurement is answered by rank 0 alone. Returns true with the exit code if that is all. */
static bool main_answered(int argc, char **argv, bool prints, int *code) {
    bool help = argc < 2 || main_is_option(argv[1], "-h", "--help");
    bool version = !help && main_is_option(argv[1], "-V", "--version");
    *code = argc < 2 ? WEIR_WRONG_USE : WEIR_FINE;
    if (prints && help) {
        main_usage(argc < 2 ? stderr : stdout);
    } else if (prints && version) {
        printf("weir-io %s\n", WEIR_VERSION);
    }
    return help || version;
}

static bool main_wants_help(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (main_is_option(argv[i], "-h", "--help")) {
            return true;
        }
    }
    return false;
}

static int main_measure(const struct weir_personality *personality, struct weir_job *job, int argc,
                        char **argv) {
    if (!main_wants_help(argc, argv)) {
        return weir_personality_main(personality, job, argc, argv);
    }
    if (job->rank == 0) {
        personality->help();
    }
    return job->original ? WEIR_FAILED : WEIR_FINE;
}

static int main_run(int argc, char **argv) {
    struct weir_job job;
    int code;
    weir_job_begin(&job, MPI_COMM_WORLD, argc, argv);
    const struct weir_personality *original = main_named(argv[0]);
    job.original = original != NULL;
    if (original != NULL) {
        code = main_measure(original, &job, argc, argv);
    } else if (!main_answered(argc, argv, job.rank == 0, &code)) {
        const struct weir_personality *personality = job.rank == 0 ? main_choose(argv[1]) : NULL;
        bool known = personality != NULL;
        MPI_Bcast(&known, sizeof known, MPI_BYTE, 0, job.comm);
        code = WEIR_WRONG_USE;
        if (known) {
            code = main_measure(main_choose(argv[1]), &job, argc - 1, argv + 1);
        }
    }
    /* A launcher ends the others as soon as one rank returns a failure: all have printed their messages
     * first. */
    fflush(stdout);
    fflush(stderr);
    MPI_Barrier(job.comm);
    weir_job_end(&job);
    return code;
}

int main(int argc, char **argv) {
    weir_clock_begin();
    /* mpirun of Open MPI 5 takes what is left of a line for the other stream when that has a line next. From
     * glibc 2.37 on, a message to an unbuffered stream is written in pieces of 128 bytes. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    setvbuf(stderr, NULL, _IOLBF, 0);
    MPI_Init(&argc, &argv);
    weir_clock_calibrate();
    int code = main_run(argc, argv);
    weir_stuck_finalize(code);
    return code;
}
