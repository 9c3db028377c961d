/* The client's settings: the file named by IM_CLIENT_CFG_FILE. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_VARIABLE "IM_CLIENT_CFG_FILE"
#define MAX_FAULTS      8

enum operation { OP_OPEN, OP_READ, OP_WRITE, OP_FSYNC, OP_DRAIN, OP_COUNT };

struct fault {
    enum operation operation;
    int error;      /* errno to return; 0: move only half of the bytes */
    uint64_t after; /* operations that pass first */
    uint64_t every; /* then each n-th fails */
    uint64_t count; /* and no more than this many */
};

struct config {
    char file[PATH_MAX];
    char fast[PATH_MAX];
    char backing[PATH_MAX];
    char mount[PATH_MAX];
    uint64_t capacity_bytes;
    uint64_t granule_bytes;
    bool drain_auto;
    bool full_through;    /* when_full = through: write to the backing; else wait for the drain */
    bool stage_on_read;   /* read_miss = stage */
    bool strict_truncate; /* truncate = strict */
    double drain_bytes_s; /* 0: as fast as it goes */
    double read_bytes_s;
    double write_bytes_s;
    double latency_us[OP_COUNT];
    double drainer_idle_s;
    struct fault faults[MAX_FAULTS];
    unsigned fault_count;
};

/* 0, or -1 with one sentence in message: file, line, key, value and the hint. */
int config_read(const char *file, struct config *config, char *message, size_t message_bytes);

/* "64 KiB", "4GiB", "100" to bytes; false if the text is none of these. */
bool config_bytes(const char *text, uint64_t *bytes);

/* A number of at least 0, and nothing behind it. */
bool config_number(const char *text, double *number);
