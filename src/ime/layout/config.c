#include "layout/config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct config *config;
    const char *file;
    unsigned line;
    char *message;
    size_t message_bytes;
};

static const char *const operation_names[OP_COUNT] = {"open", "read", "write", "fsync", "drain"};

static const char *const key_names[] = {"fast",
                                        "backing",
                                        "mount",
                                        "capacity",
                                        "granule",
                                        "drain",
                                        "drain_rate",
                                        "when_full",
                                        "read_miss",
                                        "truncate",
                                        "read_bandwidth",
                                        "write_bandwidth",
                                        "open_latency_us",
                                        "read_latency_us",
                                        "write_latency_us",
                                        "fsync_latency_us",
                                        "drain_latency_us",
                                        "drainer_idle_s",
                                        "fault"};

static int config_reject(const struct reader *reader, const char *key, const char *value, const char *hint) {
    snprintf(reader->message, reader->message_bytes, "%s:%u: %s = %s: %s", reader->file, reader->line, key,
             value, hint);
    return -1;
}

bool config_bytes(const char *text, uint64_t *bytes) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    if (end == text || errno != 0 || !(number >= 0)) {
        return false;
    }
    end += strspn(end, " ");
    double factor = 1;
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL) {
        factor = ldexp(1.0, 10 * (int)(unit - units + 1));
        end++;
        if (end[0] != 'i') {
            return false; /* KB could mean either: the file must have KiB */
        }
        end++;
    }
    if (*end == 'B') {
        end++;
    }
    if (*end != '\0' || number * factor > 1e18) {
        return false;
    }
    *bytes = (uint64_t)(number * factor);
    return true;
}

static unsigned config_letters_apart(const char *a, const char *b) {
    /* Edit distance; keys are short, so the plain table is enough. */
    enum { WIDEST = 32 };
    unsigned row[WIDEST + 1];
    size_t width = strlen(b);
    if (width > WIDEST) {
        return WIDEST;
    }
    for (size_t j = 0; j <= width; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= width; j++) {
            unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);
            unsigned least = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = replaced < least + 1 ? replaced : least + 1;
        }
    }
    return row[width];
}

static int config_unknown_key(const struct reader *reader, const char *key, const char *value) {
    const char *nearest = key_names[0];
    for (size_t i = 1; i < sizeof key_names / sizeof key_names[0]; i++) {
        if (config_letters_apart(key, key_names[i]) < config_letters_apart(key, nearest)) {
            nearest = key_names[i];
        }
    }
    char hint[96];
    snprintf(hint, sizeof hint, "no such key; did you mean %s?", nearest);
    return config_reject(reader, key, value, hint);
}

static int config_read_path(const struct reader *reader, const char *key, const char *value, char *path) {
    if (value[0] != '/' || strlen(value) >= PATH_MAX) {
        return config_reject(reader, key, value, "write an absolute path");
    }
    strcpy(path, value);
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--) {
        path[n - 1] = '\0';
    }
    return 0;
}

static int config_read_choice(const struct reader *reader, const char *key, const char *value, const char *on,
                              const char *off, bool *chosen) {
    if (strcmp(value, on) != 0 && strcmp(value, off) != 0) {
        char hint[64];
        snprintf(hint, sizeof hint, "write '%s' or '%s'", on, off);
        return config_reject(reader, key, value, hint);
    }
    *chosen = strcmp(value, on) == 0;
    return 0;
}

static int config_read_size(const struct reader *reader, const char *key, const char *value,
                            uint64_t *bytes) {
    return config_bytes(value, bytes)
               ? 0
               : config_reject(reader, key, value, "write a size such as 64 KiB or 4 GiB");
}

static int config_read_rate(const struct reader *reader, const char *key, const char *value,
                            double *bytes_s) {
    char text[64];
    size_t length = strlen(value);
    uint64_t bytes;
    if (length > 2 && length < sizeof text && strcmp(value + length - 2, "/s") == 0) {
        memcpy(text, value, length - 2);
        text[length - 2] = '\0';
        if (config_bytes(text, &bytes)) {
            *bytes_s = (double)bytes;
            return 0;
        }
    }
    return config_reject(reader, key, value, "write a rate such as 200 MiB/s");
}

bool config_number(const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= 0 && isfinite(*number);
}

static int config_read_number(const struct reader *reader, const char *key, const char *value,
                              double *number) {
    return config_number(value, number) ? 0
                                        : config_reject(reader, key, value, "write a number of at least 0");
}

static int config_errno_by_name(const char *name) {
    for (int number = 1; number < 134; number++) {
        const char *known = strerrorname_np(number);
        if (known != NULL && strcmp(known, name) == 0) {
            return number;
        }
    }
    return -1;
}

static bool config_read_fault_word(struct fault *fault, const char *word) {
    unsigned long long number;
    char rest;
    if (sscanf(word, "after=%llu%c", &number, &rest) == 1) {
        fault->after = number;
    } else if (sscanf(word, "every=%llu%c", &number, &rest) == 1 && number > 0) {
        fault->every = number;
    } else if (sscanf(word, "count=%llu%c", &number, &rest) == 1) {
        fault->count = number;
    } else {
        return false;
    }
    return true;
}

/* fault = write ENOSPC after=100 every=10 count=3 */
static int config_read_fault(const struct reader *reader, const char *key, const char *value) {
    static const char hint[] =
        "write OPERATION ERROR [after=N] [every=N] [count=N], OPERATION one of open read write "
        "fsync drain, ERROR an errno name such as EIO, or short";
    struct fault fault = {.operation = OP_COUNT, .error = -1, .every = 1, .count = UINT64_MAX};
    char text[256];
    char *rest = NULL;
    if (strlen(value) >= sizeof text || reader->config->fault_count == MAX_FAULTS) {
        return config_reject(reader, key, value, "no more than 8 faults of 255 letters");
    }
    strcpy(text, value);
    const char *name = strtok_r(text, " ", &rest);
    const char *error = strtok_r(NULL, " ", &rest);
    for (int i = 0; i < OP_COUNT; i++) {
        if (name != NULL && strcmp(name, operation_names[i]) == 0) {
            fault.operation = (enum operation)i;
        }
    }
    if (error != NULL) {
        fault.error = strcmp(error, "short") == 0 ? 0 : config_errno_by_name(error);
    }
    if (fault.operation == OP_COUNT || fault.error < 0) {
        return config_reject(reader, key, value, hint);
    }
    for (const char *word = strtok_r(NULL, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (!config_read_fault_word(&fault, word)) {
            return config_reject(reader, key, value, hint);
        }
    }
    reader->config->faults[reader->config->fault_count++] = fault;
    return 0;
}

static int config_read_latency(const struct reader *reader, const char *key, const char *value) {
    for (int i = 0; i < OP_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_latency_us", operation_names[i]);
        if (strcmp(key, name) == 0) {
            return config_read_number(reader, key, value, &reader->config->latency_us[i]);
        }
    }
    return config_unknown_key(reader, key, value);
}

static int config_read_key(const struct reader *reader, const char *key, const char *value) {
    struct config *config = reader->config;
    const struct {
        const char *name;
        char *path;
    } paths[] = {{"fast", config->fast}, {"backing", config->backing}, {"mount", config->mount}};
    const struct {
        const char *name, *on, *off;
        bool *chosen;
    } choices[] = {{"drain", "auto", "manual", &config->drain_auto},
                   {"when_full", "through", "wait", &config->full_through},
                   {"read_miss", "stage", "through", &config->stage_on_read},
                   {"truncate", "strict", "harmless", &config->strict_truncate}};
    const struct {
        const char *name;
        double *bytes_s;
    } rates[] = {{"drain_rate", &config->drain_bytes_s},
                 {"read_bandwidth", &config->read_bytes_s},
                 {"write_bandwidth", &config->write_bytes_s}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (strcmp(key, paths[i].name) == 0) {
            return config_read_path(reader, key, value, paths[i].path);
        }
    }
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (strcmp(key, choices[i].name) == 0) {
            return config_read_choice(reader, key, value, choices[i].on, choices[i].off, choices[i].chosen);
        }
    }
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        if (strcmp(key, rates[i].name) == 0) {
            return config_read_rate(reader, key, value, rates[i].bytes_s);
        }
    }
    if (strcmp(key, "capacity") == 0) {
        return config_read_size(reader, key, value, &config->capacity_bytes);
    }
    if (strcmp(key, "granule") == 0) {
        return config_read_size(reader, key, value, &config->granule_bytes);
    }
    if (strcmp(key, "drainer_idle_s") == 0) {
        return config_read_number(reader, key, value, &config->drainer_idle_s);
    }
    return strcmp(key, "fault") == 0 ? config_read_fault(reader, key, value)
                                     : config_read_latency(reader, key, value);
}

static char *config_trim(char *text) {
    while (isspace((unsigned char)*text)) {
        text++;
    }
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--) {
        text[n - 1] = '\0';
    }
    return text;
}

static int config_read_lines(FILE *stream, struct reader *reader) {
    char line[PATH_MAX + 64];
    while (fgets(line, sizeof line, stream) != NULL) {
        reader->line++;
        char *text = config_trim(line);
        if (text[0] == '\0' || text[0] == '#') {
            continue;
        }
        char *equals = strchr(text, '=');
        if (equals == NULL) {
            return config_reject(reader, text, "", "write key = value");
        }
        *equals = '\0';
        if (config_read_key(reader, config_trim(text), config_trim(equals + 1)) != 0) {
            return -1;
        }
    }
    return 0;
}

static int config_check_whole(const struct reader *reader) {
    const struct config *config = reader->config;
    uint64_t granule = config->granule_bytes;
    const char *missing = config->fast[0] == '\0' ? "fast" : config->backing[0] == '\0' ? "backing" : NULL;
    if (missing != NULL) {
        snprintf(reader->message, reader->message_bytes, "%s: %s is missing: add a line %s = /a/directory",
                 reader->file, missing, missing);
        return -1;
    }
    if (granule < 4096 || granule > (UINT64_C(1) << 20) || (granule & (granule - 1)) != 0) {
        snprintf(reader->message, reader->message_bytes,
                 "%s: granule = %llu: write a power of two from 4 KiB to 1 MiB", reader->file,
                 (unsigned long long)granule);
        return -1;
    }
    if (config->capacity_bytes < 64 * granule) {
        snprintf(reader->message, reader->message_bytes,
                 "%s: capacity = %llu: write at least 64 granules (%llu bytes)", reader->file,
                 (unsigned long long)config->capacity_bytes, (unsigned long long)(64 * granule));
        return -1;
    }
    return 0;
}

int config_read(const char *file, struct config *config, char *message, size_t message_bytes) {
    memset(config, 0, sizeof *config);
    config->capacity_bytes = UINT64_C(1) << 30;
    config->granule_bytes = 4096;
    config->drain_auto = true;
    config->drainer_idle_s = 10;
    struct reader reader = {config, file, 0, message, message_bytes};
    if (strlen(file) >= sizeof config->file) {
        snprintf(message, message_bytes, "%s: the path is too long", file);
        return -1;
    }
    if (realpath(file, config->file) == NULL) {
        strcpy(config->file, file); /* later readers may have another working directory */
    }
    FILE *stream = fopen(file, "re");
    if (stream == NULL) {
        snprintf(message, message_bytes, "%s: %s: set " CONFIG_VARIABLE " to a readable file", file,
                 strerror(errno));
        return -1;
    }
    int result = config_read_lines(stream, &reader);
    fclose(stream);
    return result == 0 ? config_check_whole(&reader) : result;
}
