/* Lists of processors as the kernel writes them, and those of this process. */
#include "processors.h"

#include "check.h"

#include <string.h>

static void listed(void) {
    struct weir_processors some = {{0x10f, 1}};
    char text[64], little[4];
    weir_processors_text(&some, text, sizeof text);
    CHECK(strcmp(text, "0-3,8,64") == 0 && weir_processors_count(&some) == 6);
    weir_processors_text(&some, little, sizeof little);
    CHECK(strcmp(little, "0-3") == 0);
    struct weir_processors none = {{0}}, last = {{0}};
    weir_processors_text(&none, text, sizeof text);
    CHECK(strcmp(text, "") == 0 && weir_processors_count(&none) == 0);
    last.words[WEIR_PROCESSORS_WORDS - 1] = (uint64_t)3 << 62;
    weir_processors_text(&last, text, sizeof text);
    CHECK(strcmp(text, "8190-8191") == 0);
}

int main(void) {
    struct weir_processors own;
    listed();
    weir_processors_read(&own);
    CHECK(weir_processors_count(&own) > 0);
    return finish();
}
