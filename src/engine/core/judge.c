#include "judge.h"

bool weir_judge_phase(struct weir_document *document, struct weir_phase *phase,
                      struct weir_measure *measure) {
    struct weir_problem problem = {0};
    if ((phase->backend->traits & WEIR_PARTS) != 0) {
        weir_document_put_down(document);
        phase->stuck = &document->stuck;
    }
    weir_phase_run(document->job, phase, measure, &problem);
    bool good = weir_document_settle(document, &problem);
    weir_stuck_disarm(&document->stuck);
    return good;
}

bool weir_judge_stored(struct weir_document *document, const struct weir_phase *phase,
                       struct weir_measure *measure) {
    struct weir_problem problem = {0};
    weir_phase_inspect(document->job, phase, measure, &problem);
    return weir_document_settle(document, &problem);
}

bool weir_judge_bytes(struct weir_document *document, const char *path, const struct weir_verify *verify,
                      struct weir_result *result, const char *where) {
    struct weir_result elsewhere = {0};
    struct weir_result *into = result != NULL ? result : &elsewhere; /* the results are rank 0's */
    uint64_t errors = weir_result_verify(document->job, path, verify, into);
    const struct weir_verdict *verdict = &into->verify;
    if (errors > 0) {
        struct weir_problem problem = {.rank = verdict->rank};
        weir_problem_set(&problem, "verify", verdict->path, 0, "data differ",
                         "%llu numbers of 8 bytes %s, the first at offset %llu: expected 0x%016llx, found "
                         "0x%016llx",
                         (unsigned long long)errors, where, (unsigned long long)verdict->offset,
                         (unsigned long long)verdict->expected, (unsigned long long)verdict->found);
        weir_document_note(document, &problem);
    }
    return errors == 0;
}
