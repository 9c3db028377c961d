/* A small JSON writer: always valid, full precision, no number that JSON does not know. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct weir_json {
    FILE *file;
    int depth;
    bool first; /* nothing yet in the innermost object or list */
};

/* key is NULL inside a list and for the whole document. */
void weir_json_object(struct weir_json *json, const char *key);
/* null where it is not known; returns whether it is. */
bool weir_json_object_known(struct weir_json *json, const char *key, bool known);
void weir_json_object_end(struct weir_json *json);
void weir_json_list(struct weir_json *json, const char *key);
void weir_json_list_end(struct weir_json *json);
void weir_json_text(struct weir_json *json, const char *key, const char *text); /* NULL is null */
/* A list of those texts that are not NULL. */
void weir_json_texts(struct weir_json *json, const char *key, const char *const *texts, int count);
void weir_json_count(struct weir_json *json, const char *key, uint64_t number);
/* null where it is not known. */
void weir_json_known_count(struct weir_json *json, const char *key, bool known, uint64_t number);
void weir_json_integer(struct weir_json *json, const char *key, int64_t number);
void weir_json_number(struct weir_json *json, const char *key, double number); /* not finite is null */
void weir_json_bool(struct weir_json *json, const char *key, bool truth);
/* All numbers on one line. */
void weir_json_counts(struct weir_json *json, const char *key, const uint64_t *numbers, int count);
/* [number, count] on one line, inside a list */
void weir_json_pair(struct weir_json *json, double number, uint64_t count);
