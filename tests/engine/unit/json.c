#include "json.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;
static struct weir_json json;

static void begin(void) {
    memset(&json, 0, sizeof json);
    json.file = open_memstream(&text, &length);
}

static bool is(const char *expected) {
    fclose(json.file);
    bool same = strcmp(text, expected) == 0;
    if (!same) {
        printf("found:\n%s\nexpected:\n%s\n", text, expected);
    }
    free(text);
    return same;
}

static void test_document(void) {
    begin();
    weir_json_object(&json, NULL);
    weir_json_count(&json, "n", UINT64_MAX);
    weir_json_integer(&json, "i", -3);
    weir_json_bool(&json, "b", true);
    weir_json_text(&json, "t", NULL);
    weir_json_list(&json, "l");
    weir_json_pair(&json, 0.5, 2);
    weir_json_list_end(&json);
    weir_json_object(&json, "o");
    weir_json_object_end(&json);
    weir_json_object_end(&json);
    CHECK(is("{\n  \"n\": 18446744073709551615,\n  \"i\": -3,\n  \"b\": true,\n  \"t\": null,\n"
             "  \"l\": [\n    [0.5, 2]\n  ],\n  \"o\": {}\n}\n"));
}

static void test_numbers(void) {
    begin();
    weir_json_list(&json, NULL);
    weir_json_number(&json, NULL, 0.1);
    weir_json_number(&json, NULL, NAN);
    weir_json_number(&json, NULL, -INFINITY);
    weir_json_list_end(&json);
    CHECK(is("[\n  0.10000000000000001,\n  null,\n  null\n]\n"));
}

static void test_texts(void) {
    begin();
    weir_json_list(&json, NULL);
    weir_json_text(&json, NULL, "a\"b\\c\n\x01");
    weir_json_text(&json, NULL, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x8a");
    weir_json_text(&json, NULL, "\xff|\xc3|\xc0\xaf|\xed\xa0\x80|\xf8");
    weir_json_list_end(&json);
    CHECK(is("[\n  \"a\\\"b\\\\c\\u000a\\u0001\",\n  \"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x8a\",\n"
             "  \"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\"\n]\n"));
}

int main(void) {
    test_document();
    test_numbers();
    test_texts();
    return finish();
}
