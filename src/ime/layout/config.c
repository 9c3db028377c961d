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

struct key {
    const char *name;
    int (*read)(const struct reader *reader, const struct key *key, const char *value);
    size_t at;            /* offsetof in struct config */
    const char *on, *off; /* of a choice */
};

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

/* Where the value of the key goes. */
static void *config_place(const struct reader *reader, const struct key *key) {
    return (char *)reader->config + key->at;
}

static int config_read_path(const struct reader *reader, const struct key *key, const char *value) {
    char *path = config_place(reader, key);
    if (value[0] != '/' || strlen(value) >= PATH_MAX) {
        return config_reject(reader, key->name, value, "write an absolute path");
    }
    strcpy(path, value);
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--) {
        path[n - 1] = '\0';
    }
    return 0;
}

static int config_read_choice(const struct reader *reader, const struct key *key, const char *value) {
    if (strcmp(value, key->on) != 0 && strcmp(value, key->off) != 0) {
        char hint[64];
        snprintf(hint, sizeof hint, "write '%s' or '%s'", key->on, key->off);
        return config_reject(reader, key->name, value, hint);
    }
    *(bool *)config_place(reader, key) = strcmp(value, key->on) == 0;
    return 0;
}

static int config_read_size(const struct reader *reader, const struct key *key, const char *value) {
    return config_bytes(value, config_place(reader, key))
               ? 0
               : config_reject(reader, key->name, value, "write a size such as 64 KiB or 4 GiB");
}

static int config_read_rate(const struct reader *reader, const struct key *key, const char *value) {
    char text[64];
    size_t length = strlen(value);
    uint64_t bytes;
    if (length > 2 && length < sizeof text && strcmp(value + length - 2, "/s") == 0) {
        memcpy(text, value, length - 2);
        text[length - 2] = '\0';
        if (config_bytes(text, &bytes)) {
            *(double *)config_place(reader, key) = (double)bytes;
            return 0;
        }
    }
    return config_reject(reader, key->name, value, "write a rate such as 200 MiB/s");
}

bool config_number(const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= 0 && isfinite(*number);
}

static int config_read_number(const struct reader *reader, const struct key *key, const char *value) {
    return config_number(value, config_place(reader, key))
               ? 0
               : config_reject(reader, key->name, value, "write a number of at least 0");
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
static int config_read_fault(const struct reader *reader, const struct key *key, const char *value) {
    static const char hint[] =
        "write OPERATION ERROR [after=N] [every=N] [count=N], OPERATION one of open read write "
        "fsync drain, ERROR an errno name such as EIO, or short";
    struct fault fault = {.operation = OP_COUNT, .error = -1, .every = 1, .count = UINT64_MAX};
    char text[256];
    char *rest = NULL;
    if (strlen(value) >= sizeof text || reader->config->fault_count == MAX_FAULTS) {
        return config_reject(reader, key->name, value, "no more than 8 faults of 255 letters");
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
        return config_reject(reader, key->name, value, hint);
    }
    for (const char *word = strtok_r(NULL, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (!config_read_fault_word(&fault, word)) {
            return config_reject(reader, key->name, value, hint);
        }
    }
    reader->config->faults[reader->config->fault_count++] = fault;
    return 0;
}

#define AT(member) .at = offsetof(struct config, member)

static const struct key keys[] = {
    {"fast", config_read_path, AT(fast)},
    {"backing", config_read_path, AT(backing)},
    {"mount", config_read_path, AT(mount)},
    {"capacity", config_read_size, AT(capacity_bytes)},
    {"granule", config_read_size, AT(granule_bytes)},
    {"drain", config_read_choice, AT(drain_auto), .on = "auto", .off = "manual"},
    {"drain_rate", config_read_rate, AT(drain_bytes_s)},
    {"when_full", config_read_choice, AT(full_through), .on = "through", .off = "wait"},
    {"read_miss", config_read_choice, AT(stage_on_read), .on = "stage", .off = "through"},
    {"truncate", config_read_choice, AT(strict_truncate), .on = "strict", .off = "harmless"},
    {"read_bandwidth", config_read_rate, AT(read_bytes_s)},
    {"write_bandwidth", config_read_rate, AT(write_bytes_s)},
    {"open_latency_us", config_read_number, AT(latency_us[OP_OPEN])},
    {"read_latency_us", config_read_number, AT(latency_us[OP_READ])},
    {"write_latency_us", config_read_number, AT(latency_us[OP_WRITE])},
    {"fsync_latency_us", config_read_number, AT(latency_us[OP_FSYNC])},
    {"drain_latency_us", config_read_number, AT(latency_us[OP_DRAIN])},
    {"drainer_idle_s", config_read_number, AT(drainer_idle_s)},
    {"fault", config_read_fault, AT(faults)},
};

static int config_read_key(const struct reader *reader, const char *name, const char *value) {
    const struct key *nearest = &keys[0];
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(name, keys[i].name) == 0) {
            return keys[i].read(reader, &keys[i], value);
        }
        if (config_letters_apart(name, keys[i].name) < config_letters_apart(name, nearest->name)) {
            nearest = &keys[i];
        }
    }
    char hint[96];
    snprintf(hint, sizeof hint, "no such key; did you mean %s?", nearest->name);
    return config_reject(reader, name, value, hint);
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
