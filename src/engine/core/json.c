#include "json.h"

#include <inttypes.h>
#include <math.h>

/* Length of the valid UTF-8 sequence at the text, 0 where there is none (overlong forms and surrogates
 * included). */
static int json_utf8_length(const unsigned char *t) {
    static const unsigned least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (t[0] < 0x80) {
        return 1;
    }
    int length = (t[0] & 0xe0) == 0xc0 ? 2 : (t[0] & 0xf0) == 0xe0 ? 3 : (t[0] & 0xf8) == 0xf0 ? 4 : 0;
    unsigned code = t[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((t[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (t[i] & 0x3fu);
    }
    bool good = length > 0 && code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return good ? length : 0;
}

/* Bytes that are no text become U+FFFD, so that the document stays readable whatever a path holds. */
static void json_quote(FILE *file, const char *text) {
    const unsigned char *t = (const unsigned char *)text;
    fputc('"', file);
    while (*t != '\0') {
        int length = json_utf8_length(t);
        if (*t == '"' || *t == '\\') {
            fprintf(file, "\\%c", *t);
        } else if (*t < 0x20) {
            fprintf(file, "\\u%04x", *t);
        } else if (length == 0) {
            fputs("\\ufffd", file);
        } else {
            fwrite(t, 1, (size_t)length, file);
        }
        t += length > 0 ? length : 1;
    }
    fputc('"', file);
}

static void json_begin(struct weir_json *json, const char *key) {
    if (json->depth > 0) {
        fputs(json->first ? "" : ",", json->file);
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    json->first = false;
    if (key != NULL) {
        json_quote(json->file, key);
        fputs(": ", json->file);
    }
}

static void json_null(struct weir_json *json, const char *key) {
    json_begin(json, key);
    fputs("null", json->file);
}

static void json_open_level(struct weir_json *json, const char *key, char bracket) {
    json_begin(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->first = true;
}

static void json_close_level(struct weir_json *json, char bracket) {
    json->depth--;
    if (!json->first) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->file);
    json->first = false;
    if (json->depth == 0) {
        fputc('\n', json->file);
    }
}

void weir_json_object(struct weir_json *json, const char *key) {
    json_open_level(json, key, '{');
}

bool weir_json_object_known(struct weir_json *json, const char *key, bool known) {
    if (known) {
        weir_json_object(json, key);
    } else {
        json_null(json, key);
    }
    return known;
}

void weir_json_object_end(struct weir_json *json) {
    json_close_level(json, '}');
}

void weir_json_list(struct weir_json *json, const char *key) {
    json_open_level(json, key, '[');
}

void weir_json_list_end(struct weir_json *json) {
    json_close_level(json, ']');
}

void weir_json_text(struct weir_json *json, const char *key, const char *text) {
    if (text == NULL) {
        json_null(json, key);
        return;
    }
    json_begin(json, key);
    json_quote(json->file, text);
}

void weir_json_texts(struct weir_json *json, const char *key, const char *const *texts, int count) {
    weir_json_list(json, key);
    for (int i = 0; i < count; i++) {
        if (texts[i] != NULL) {
            weir_json_text(json, NULL, texts[i]);
        }
    }
    weir_json_list_end(json);
}

void weir_json_count(struct weir_json *json, const char *key, uint64_t number) {
    json_begin(json, key);
    fprintf(json->file, "%" PRIu64, number);
}

void weir_json_known_count(struct weir_json *json, const char *key, bool known, uint64_t number) {
    if (known) {
        weir_json_count(json, key, number);
    } else {
        json_null(json, key);
    }
}

void weir_json_integer(struct weir_json *json, const char *key, int64_t number) {
    json_begin(json, key);
    fprintf(json->file, "%" PRId64, number);
}

void weir_json_number(struct weir_json *json, const char *key, double number) {
    if (!isfinite(number)) {
        json_null(json, key);
        return;
    }
    json_begin(json, key);
    fprintf(json->file, "%.17g", number);
}

void weir_json_bool(struct weir_json *json, const char *key, bool truth) {
    json_begin(json, key);
    fputs(truth ? "true" : "false", json->file);
}

void weir_json_counts(struct weir_json *json, const char *key, const uint64_t *numbers, int count) {
    json_begin(json, key);
    for (int i = 0; i < count; i++) {
        fprintf(json->file, "%s%" PRIu64, i == 0 ? "[" : ", ", numbers[i]);
    }
    fputs(count == 0 ? "[]" : "]", json->file);
}

void weir_json_pair(struct weir_json *json, double number, uint64_t count) {
    json_begin(json, NULL);
    fprintf(json->file, "[%.17g, %" PRIu64 "]", number, count);
}
