/* Reports in place of processes that left only their images: of those that a signal ended, or that left by a
 * call of the system. weir starts a program that does nothing else with
 *
 *   WEIR_WITNESS_IMAGES  any text: make reports of the images whose names begin as WEIR_WITNESS tells */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "closing.h"
#include "image.h"

#define PATH_BYTES 4096
#define END(text)  ((text)[sizeof(text) - 1] = '\0')

static void end_texts(struct account *account) {
    END(account->record.path);
    END(account->medium.file_system);
    END(account->medium.source);
    END(account->device.name);
    END(account->device.reason);
    for (unsigned i = 0; i < WEIR_SERVERS_MOST; i++) {
        END(account->servers.seen[i].what);
    }
}

/* What a process leaves that was killed is whole; its program may have written to the file, too. */
static bool is_sound(void) {
    END(image.host);
    END(image.program);
    END(image.kernel);
    END(image.chain);
    bool is = image.layout == IMAGE_LAYOUT && !image.lacks && image.used <= ACCOUNTS &&
              image.sample_used <= WITNESS_SAMPLE_BYTES;
    for (unsigned i = 0; is && i < image.used; i++) {
        end_texts(&image.accounts[i]);
        is = image.accounts[i].used <= ACCOUNTS_PHASES && image.accounts[i].device.parts <= WEIR_DEVICE_PARTS;
    }
    return is;
}

/* Nothing in it that can be read makes an empty report: of a process that is only known to have been. */
static bool write_report(const char *path) {
    FILE *stream = fopen(path, "we");
    if (stream == NULL) {
        return false;
    }
    if (is_sound()) {
        accounts_write(stream, true);
    }
    return fclose(stream) == 0;
}

/* One that is locked is of a process that still runs. */
static void report_of(const char *path, const char *report) {
    WEIR_FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    if (flock(fileno(file), LOCK_EX | LOCK_NB) == 0) {
        memset(&image, 0, sizeof image);
        /* A report that is there was whole before it got its name. No layout: the process had no time. */
        bool is_done =
            access(report, F_OK) == 0 || fread(&image, 1, sizeof image, file) == 0 || image.layout == 0;
        if (is_done || write_report(report)) {
            unlink(path);
        }
    }
}

static void report_if_image(const char *folder, const char *begin, const char *name) {
    char path[PATH_BYTES], report[PATH_BYTES];
    size_t length = strlen(name), suffix = strlen(IMAGE_SUFFIX);
    if (strncmp(name, begin, strlen(begin)) != 0 || length <= suffix ||
        strcmp(name + length - suffix, IMAGE_SUFFIX) != 0) {
        return;
    }
    int bytes = snprintf(path, sizeof path, "%s/%s", folder, name);
    int more = snprintf(report, sizeof report, "%s/%.*s.json", folder, (int)(length - suffix), name);
    if (bytes > 0 && (size_t)bytes < sizeof path && more > 0 && (size_t)more < sizeof report) {
        report_of(path, report);
    }
}

void image_reports(void) {
    const char *wanted = getenv("WEIR_WITNESS_IMAGES"), *given = getenv("WEIR_WITNESS");
    char folder[PATH_BYTES / 2];
    if (wanted == NULL || wanted[0] == '\0' || given == NULL || strlen(given) >= sizeof folder) {
        return;
    }
    strcpy(folder, given);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return;
    }
    *slash = '\0';
    WEIR_DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        report_if_image(folder, slash + 1, entry->d_name);
    }
    unsetenv("WEIR_WITNESS"); /* this process has nothing to report */
}
