/* Sharing of what waits. All ranks exchange how much they have; those with much give to those with little,
 * each knowing from the same numbers who gives how much to whom. The oldest items go: they are the highest in
 * the tree, so that much hangs on them. */
#include "find.h"

#include <stdlib.h>
#include <string.h>

struct plan {
    int ranks;
    uint64_t *has;   /* of each rank */
    uint64_t *gives; /* of this rank, to each */
};

static uint64_t find_fair_share(const struct plan *plan, uint64_t total, int rank) {
    return total / (uint64_t)plan->ranks + ((uint64_t)rank < total % (uint64_t)plan->ranks);
}

/* Giving costs a message: it is worth it where a rank has less than half of its share. */
static bool find_somebody_is_short(const struct plan *plan, uint64_t total) {
    for (int i = 0; i < plan->ranks; i++) {
        if (2 * plan->has[i] < find_fair_share(plan, total, i)) {
            return true;
        }
    }
    return false;
}

/* Givers and takers are matched in the order of their ranks. */
static void find_match(struct plan *plan, uint64_t total, int me) {
    int taker = 0;
    uint64_t filled = 0; /* of the taker, by the givers before */
    for (int giver = 0; giver < plan->ranks; giver++) {
        uint64_t share = find_fair_share(plan, total, giver);
        uint64_t spare = plan->has[giver] > share ? plan->has[giver] - share : 0;
        while (spare > 0 && taker < plan->ranks) {
            uint64_t wants = find_fair_share(plan, total, taker);
            wants = wants > plan->has[taker] + filled ? wants - plan->has[taker] - filled : 0;
            uint64_t part = wants < spare ? wants : spare;
            if (giver == me) {
                plan->gives[taker] += part;
            }
            spare -= part;
            filled += part;
            if (part == wants) {
                taker++;
                filled = 0;
            }
        }
    }
}

/* Texts one after the other, for each rank in turn; the items leave the queue. */
static char *find_pack(struct find_queue *queue, const struct plan *plan, int *bytes, int *at) {
    size_t whole = 0, index = queue->head;
    for (int i = 0; i < plan->ranks; i++) {
        at[i] = (int)whole;
        for (uint64_t n = 0; n < plan->gives[i]; n++) {
            whole += strlen(queue->items[index++]) + 1;
        }
        bytes[i] = (int)(whole - (size_t)at[i]);
    }
    char *text = malloc(whole + 1), *end = text;
    for (size_t i = queue->head; text != NULL && i < index; i++) {
        size_t length = strlen(queue->items[i]) + 1;
        memcpy(end, queue->items[i], length);
        end += length;
        free(queue->items[i]);
    }
    queue->count -= index - queue->head;
    queue->head = index;
    return text;
}

static bool find_unpack(struct find_queue *queue, const char *text, size_t bytes) {
    for (const char *item = text; item < text + bytes; item += strlen(item) + 1) {
        if (!find_push(queue, item[0], item + 1, "")) {
            return false;
        }
    }
    return true;
}

static void find_exchange(struct find_run *run, const struct plan *plan) {
    size_t ints = (size_t)plan->ranks * sizeof(int);
    int *out = malloc(ints), *out_at = malloc(ints), *in = malloc(ints), *in_at = malloc(ints);
    char *sent = NULL, *got = NULL;
    if (out == NULL || out_at == NULL || in == NULL || in_at == NULL ||
        (sent = find_pack(&run->queue, plan, out, out_at)) == NULL) {
        MPI_Abort(run->base.job->comm, 1);
        return;
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, run->base.job->comm);
    size_t bytes = 0;
    for (int i = 0; i < plan->ranks; i++) {
        in_at[i] = (int)bytes;
        bytes += (size_t)in[i];
    }
    got = malloc(bytes + 1);
    if (got == NULL) {
        MPI_Abort(run->base.job->comm, 1);
        return;
    }
    MPI_Alltoallv(sent, out, out_at, MPI_CHAR, got, in, in_at, MPI_CHAR, run->base.job->comm);
    if (!find_unpack(&run->queue, got, bytes)) {
        MPI_Abort(run->base.job->comm, 1);
    }
    free(out);
    free(out_at);
    free(in);
    free(in_at);
    free(sent);
    free(got);
}

uint64_t find_share(struct find_run *run, bool *moved) {
    /* A directory that is being read cannot be handed over, so it is not shared. */
    uint64_t mine[2] = {run->queue.count, run->reading != NULL};
    struct plan plan = {.ranks = run->base.job->size};
    uint64_t *loads = malloc(2 * (size_t)plan.ranks * sizeof *loads);
    plan.has = calloc((size_t)plan.ranks, sizeof *plan.has);
    plan.gives = calloc((size_t)plan.ranks, sizeof *plan.gives);
    if (loads == NULL || plan.has == NULL || plan.gives == NULL) {
        MPI_Abort(run->base.job->comm, 1);
        return 0;
    }
    MPI_Allgather(mine, 2, MPI_UINT64_T, loads, 2, MPI_UINT64_T, run->base.job->comm);
    uint64_t total = 0, reading = 0;
    for (int i = 0; i < plan.ranks; i++) {
        plan.has[i] = loads[2 * i];
        total += loads[2 * i];
        reading += loads[2 * i + 1];
    }
    *moved = find_somebody_is_short(&plan, total);
    if (*moved) {
        find_match(&plan, total, run->base.job->rank);
        for (int i = 0; i < plan.ranks; i++) {
            run->counts.given += plan.gives[i];
        }
        find_exchange(run, &plan);
    }
    free(loads);
    free(plan.has);
    free(plan.gives);
    return total + reading;
}
