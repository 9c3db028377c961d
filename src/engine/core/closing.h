/* Files and directories that are closed where their variable goes out of scope; NULL is none. */
#pragma once

#include <dirent.h>
#include <stdio.h>

static inline void weir_close_file(FILE **file) {
    if (*file != NULL) {
        fclose(*file);
    }
}

static inline void weir_close_directory(DIR **directory) {
    if (*directory != NULL) {
        closedir(*directory);
    }
}

#define WEIR_FILE __attribute__((cleanup(weir_close_file))) FILE
#define WEIR_DIR  __attribute__((cleanup(weir_close_directory))) DIR
