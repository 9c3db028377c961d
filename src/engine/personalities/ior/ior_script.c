#include "ior_script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TESTS_MAX 10000

/* Without the blanks around it, and without a comment behind it. */
static char *script_trim(char *line) {
    line[strcspn(line, "#")] = '\0';
    while (isspace((unsigned char)*line)) {
        line++;
    }
    size_t length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1])) {
        line[--length] = '\0';
    }
    return line;
}

/* Word by word, whatever blanks are between them. */
static bool script_is(const char *line, const char *first, const char *second) {
    char parts[2][8] = {"", ""};
    char more = '\0';
    int found = sscanf(line, "%7s %7s %c", parts[0], parts[1], &more);
    return found == (second[0] == '\0' ? 1 : 2) && strcasecmp(parts[0], first) == 0 &&
           strcasecmp(parts[1], second) == 0;
}

/* key=value in place, without the blanks that IOR allows around both; NULL where it is none. */
static char *script_directive(char *item) {
    char *equals = strchr(item, '=');
    if (equals == NULL) {
        return NULL;
    }
    *equals = '\0';
    const char *key = script_trim(item), *value = script_trim(equals + 1);
    if (*key == '\0' || *value == '\0') {
        return NULL;
    }
    size_t key_length = strlen(key);
    memmove(item, key, key_length);
    item[key_length] = '=';
    memmove(item + key_length + 1, value, strlen(value) + 1);
    return item;
}

struct reader {
    struct ior_script *script;
    char **given; /* arguments of the command line, then the directives so far */
    int given_count;
    bool fresh; /* no directive since the last `run` */
};

/* The test that the directives so far describe; false without room for it. */
static bool script_close_test(struct reader *reader) {
    struct ior_script *script = reader->script;
    if (script->count == TESTS_MAX) {
        return false;
    }
    script->tests[script->count++] = (struct weir_arguments){reader->given_count, reader->given};
    reader->fresh = true;
    return true;
}

/* An option by its own name goes as it is, any other key as a directive. */
static void script_take(struct reader *reader, char *directive) {
    static char letter[] = "-O";
    if (directive[0] != '-') {
        reader->given[reader->given_count++] = letter;
    }
    reader->given[reader->given_count++] = directive;
    reader->fresh = false;
}

static bool script_line(struct reader *reader, char *line, int number, char *complaint) {
    for (char *rest = line, *item = strsep(&rest, ","); item != NULL; item = strsep(&rest, ",")) {
        char *directive = script_directive(item);
        REFUSE(directive == NULL, "-f: line %d of the script: a directive is key=value", number);
        script_take(reader, directive);
    }
    return true;
}

static bool script_tests(struct reader *reader, char *complaint) {
    bool begun = false, stopped = false;
    int number = 0;
    for (char *rest = reader->script->text, *line = strsep(&rest, "\n"); line != NULL && !stopped;
         line = strsep(&rest, "\n")) {
        number++;
        line = script_trim(line);
        if (!begun) {
            begun = script_is(line, "ior", "start");
        } else if (script_is(line, "ior", "stop")) {
            stopped = true;
        } else if (script_is(line, "run", "")) {
            REFUSE(!script_close_test(reader), "-f: more than %d tests in the script", TESTS_MAX);
        } else if (*line != '\0' && !script_line(reader, line, number, complaint)) {
            return false;
        }
    }
    REFUSE(!begun, "-f: the script has no line 'IOR START'");
    bool left = !reader->fresh || reader->script->count == 0; /* directives without a `run` behind them */
    REFUSE(left && !script_close_test(reader), "-f: more than %d tests in the script", TESTS_MAX);
    return true;
}

bool ior_script_read(struct ior_script *script, char *text, const struct weir_arguments *line,
                     char *complaint) {
    /* A directive has three characters or more and becomes two arguments. */
    size_t most = (size_t)line->count + strlen(text) + 1;
    *script = (struct ior_script){.text = text,
                                  .arguments = calloc(most, sizeof(char *)),
                                  .tests = calloc(TESTS_MAX, sizeof *script->tests)};
    REFUSE(script->arguments == NULL || script->tests == NULL, "-f: no memory for the script");
    struct reader reader = {.script = script, .given = script->arguments, .given_count = line->count};
    memcpy(script->arguments, line->list, sizeof(char *) * (size_t)line->count);
    return script_tests(&reader, complaint);
}

void ior_script_free(struct ior_script *script) {
    free(script->text);
    free(script->arguments);
    free(script->tests);
}
