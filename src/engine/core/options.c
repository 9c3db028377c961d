#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAMES_MAX         256
#define NO_DIRECTIVE      "-O "
#define UNKNOWN_DIRECTIVE "unknown directive -O "

struct parse {
    const struct weir_option_set *sets;
    int set_count;
    char *texts; /* free space for the texts of directives */
    char *complaint;
};

struct match {
    const struct weir_option *option;
    void *into;
};

__attribute__((format(printf, 2, 3))) static bool complain(const struct parse *parse, const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(parse->complaint, WEIR_COMPLAINT, text, arguments);
    va_end(arguments);
    return false;
}

static bool options_is_end(const struct weir_option *option) {
    return option->letter == 0 && option->name == NULL && option->directive == NULL;
}

/* Edit distance, case apart; names of options are short. */
static int options_distance(const char *a, const char *b) {
    int row[65];
    int wide = (int)strnlen(b, 64);
    for (int j = 0; j <= wide; j++) {
        row[j] = j;
    }
    for (int i = 1; a[i - 1] != '\0'; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= wide; j++) {
            int above = row[j];
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = corner + (same ? 0 : 1);
            best = above + 1 < best ? above + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            corner = above;
            row[j] = best;
        }
    }
    return row[wide];
}

const char *weir_nearest(const char *text, const char *const *candidates, int count) {
    const char *best = NULL;
    int best_distance = (int)strlen(text) / 3 + 1;
    for (int i = 0; i < count; i++) {
        int d = options_distance(text, candidates[i]);
        if (d < best_distance || (d == best_distance && best == NULL)) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best;
}

static const char *nearest_option(const struct parse *parse, const char *text, bool directives) {
    const char *names[NAMES_MAX];
    int count = 0;
    for (int s = 0; s < parse->set_count; s++) {
        for (const struct weir_option *o = parse->sets[s].options; o != NULL && !options_is_end(o); o++) {
            const char *name = directives ? o->directive : o->name;
            if (name != NULL && count < NAMES_MAX) {
                names[count++] = name;
            }
        }
    }
    return weir_nearest(text, names, count);
}

static bool options_find(const struct parse *parse, char letter, const char *name, const char *directive,
                         struct match *match) {
    for (int s = 0; s < parse->set_count; s++) {
        for (const struct weir_option *o = parse->sets[s].options; o != NULL && !options_is_end(o); o++) {
            if ((letter != 0 && o->letter == letter) ||
                (name != NULL && o->name != NULL && strcmp(o->name, name) == 0) ||
                (directive != NULL && o->directive != NULL && strcasecmp(o->directive, directive) == 0)) {
                match->option = o;
                match->into = (char *)parse->sets[s].into + o->at;
                return true;
            }
        }
    }
    return false;
}

bool weir_number_parse(const char *name, const char *text, int64_t *number, char *complaint) {
    char *end;
    errno = 0;
    long long found = strtoll(text, &end, 10);
    REFUSE(end == text || *end != '\0' || errno != 0, "%s '%s': not a whole number", name, text);
    *number = found;
    return true;
}

bool weir_size_parse(const char *text, long long *bytes) {
    static const char units[] = "kmgtp";
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || errno != 0 || number < 0) {
        return false;
    }
    int shift = 0;
    if (*end != '\0') {
        const char *unit = strchr(units, tolower((unsigned char)*end));
        if (unit == NULL || end[1] != '\0') {
            return false;
        }
        shift = 10 * (int)(unit - units + 1);
    }
    if (number > (INT64_MAX >> shift)) {
        return false;
    }
    *bytes = number << shift;
    return true;
}

static bool options_directives(struct parse *parse, const char *list);

static bool options_store(struct parse *parse, const struct match *match, const char *shown,
                          const char *value) {
    char *end;
    long long number = 0;
    double real = 0;
    bool is_time = match->option->kind == WEIR_SECONDS;
    switch (match->option->kind) {
    case WEIR_FLAG:
        if (!weir_size_parse(value, &number) || number > 1000) {
            return complain(parse, "%s %s: not 0 or 1", shown, value);
        }
        *(int *)match->into = (int)number;
        return true;
    case WEIR_COUNT:
        errno = 0;
        number = strtoll(value, &end, 10);
        if (end == value || *end != '\0' || errno != 0) {
            return complain(parse, "%s %s: not a whole number", shown, value);
        }
        *(int64_t *)match->into = number;
        return true;
    case WEIR_SIZE:
        if (!weir_size_parse(value, &number)) {
            return complain(parse,
                            "%s %s: not a size; write bytes or a number with k, m, g or t (powers of 1024)",
                            shown, value);
        }
        *(int64_t *)match->into = number;
        return true;
    case WEIR_SECONDS:
    case WEIR_NUMBER:
        real = strtod(value, &end);
        if (end == value || *end != '\0' || !(fabs(real) < 1e9) || (is_time && real < 0)) {
            return complain(parse, "%s %s: not a number%s", shown, value, is_time ? " of seconds" : "");
        }
        *(double *)match->into = real;
        return true;
    case WEIR_TEXT:
        *(const char **)match->into = value;
        return true;
    case WEIR_DIRECTIVES:
        return options_directives(parse, value);
    }
    return false;
}

static bool options_directives(struct parse *parse, const char *list) {
    char *rest = strcpy(parse->texts, list);
    parse->texts += strlen(list) + 1;
    for (char *item = strsep(&rest, ","); item != NULL; item = strsep(&rest, ",")) {
        char *equals = strchr(item, '=');
        struct match match;
        if (equals == NULL) {
            return complain(parse, NO_DIRECTIVE "%s: a directive is key=value", item);
        }
        *equals = '\0';
        if (!options_find(parse, 0, NULL, item, &match)) {
            const char *near = nearest_option(parse, item, true);
            return complain(parse, UNKNOWN_DIRECTIVE "%s%s%s%s", item, near ? "; did you mean " : "",
                            near ? near : "", near ? "?" : "");
        }
        if (!options_store(parse, &match, item, equals + 1)) {
            return false;
        }
    }
    return true;
}

/* Value of an option: what follows '=', what is glued to a letter, or the next argument. */
static bool long_option(struct parse *parse, char **arguments, int left, int *used) {
    char name[128];
    const char *equals = strchr(arguments[0], '=');
    struct match match;
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - arguments[0] - 2) : 127, arguments[0] + 2);
    if (!options_find(parse, 0, name, NULL, &match)) {
        const char *near = nearest_option(parse, name, false);
        return complain(parse, "unknown option --%s%s%s%s", name, near ? "; did you mean --" : "",
                        near ? near : "", near ? "?" : "");
    }
    if (equals == NULL && match.option->kind == WEIR_FLAG) {
        (*(int *)match.into)++;
        return true;
    }
    if (equals == NULL && left < 2) {
        return complain(parse, "--%s needs a value (%s)", name, match.option->value);
    }
    *used = equals ? 1 : 2;
    return options_store(parse, &match, arguments[0], equals ? equals + 1 : arguments[1]);
}

static bool short_options(struct parse *parse, char **arguments, int left, int *used) {
    for (const char *at = arguments[0] + 1; *at != '\0'; at++) {
        char shown[3] = {'-', *at, '\0'};
        struct match match;
        if (*at == '-' && at[1] != '\0') {
            continue; /* -z-k is -z -k, as in IOR */
        }
        if (!options_find(parse, *at, NULL, NULL, &match)) {
            return complain(parse, "unknown option %s%s%s; --help lists what is offered", shown,
                            arguments[0][2] ? " in " : "", arguments[0][2] ? arguments[0] : "");
        }
        if (match.option->kind == WEIR_FLAG && at[1] != '=') {
            (*(int *)match.into)++;
            continue;
        }
        if (at[1] != '\0') {
            return options_store(parse, &match, shown, at[1] == '=' ? at + 2 : at + 1);
        }
        if (left < 2) {
            return complain(parse, "%s needs a value (%s)", shown, match.option->value);
        }
        *used = 2;
        return options_store(parse, &match, shown, arguments[1]);
    }
    return true;
}

bool weir_options_parse(int argc, char **argv, const struct weir_option_set *sets, int set_count,
                        char **texts, char *complaint) {
    size_t all = 1;
    for (int i = 0; i < argc; i++) {
        all += strlen(argv[i]) + 1;
    }
    *texts = malloc(all);
    struct parse parse = {sets, set_count, *texts, complaint};
    if (*texts == NULL) {
        return complain(&parse, "no memory for the options");
    }
    for (int i = 1; i < argc;) {
        int used = 1;
        bool good;
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            good = complain(&parse, "'%s' is not a valid option; each value follows its option", argv[i]);
        } else if (argv[i][1] == '-') {
            good = long_option(&parse, argv + i, argc - i, &used);
        } else {
            good = short_options(&parse, argv + i, argc - i, &used);
        }
        if (!good) {
            return false;
        }
        i += used;
    }
    return true;
}

bool weir_options_blame_directive(const char *complaint) {
    return strncmp(complaint, NO_DIRECTIVE, strlen(NO_DIRECTIVE)) == 0 ||
           strncmp(complaint, UNKNOWN_DIRECTIVE, strlen(UNKNOWN_DIRECTIVE)) == 0;
}

const char *weir_options_first_set(const struct weir_option_set *set) {
    for (const struct weir_option *o = set->options; !options_is_end(o); o++) {
        const char *value = (const char *)set->into + o->at;
        size_t bytes = o->kind == WEIR_FLAG ? sizeof(int) : 8;
        for (size_t i = 0; i < bytes; i++) {
            if (value[i] != 0) {
                return o->name;
            }
        }
    }
    return NULL;
}

void weir_options_print(const struct weir_option *options) {
    for (const struct weir_option *o = options; o != NULL && !options_is_end(o); o++) {
        char form[96] = "";
        bool is_flag = o->kind == WEIR_FLAG;
        const char *gap = is_flag ? "" : " ", *value = is_flag ? "" : o->value;
        int used = 0;
        if (o->letter != 0) {
            used += snprintf(form + used, sizeof form - (size_t)used, "-%c%s%s", o->letter, gap, value);
        }
        if (o->name != NULL) {
            used += snprintf(form + used, sizeof form - (size_t)used, "%s--%s%s%s", used ? ", " : "", o->name,
                             gap, value);
        }
        if (used == 0) {
            snprintf(form, sizeof form, "-O %s=%s", o->directive, o->value ? o->value : "1");
        }
        printf("  %-34s %s\n", form, o->help);
    }
}
