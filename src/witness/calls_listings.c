/* Directories that a program reads, as a search does: how many entries it got that are no directories, and
 * how long that took. A call that gives an entry makes no system call most of the time, so each thread adds
 * up and tells the account when the directory ends. A directory that another thread closes may give its
 * address to the next one: then each thread looks anew. */
#include <dirent.h>
#include <errno.h>

#include "accounts.h"

#pragma GCC visibility push(default)

/* Entries: some directories take minutes. Those with fewer tell no time, such as a program's own parts. */
#define TOLD_EACH 1024u

static _Atomic uint64_t closed_elsewhere; /* directories, by a thread that did not read them last */

static _Thread_local struct {
    const DIR *folder;
    uint64_t closed_elsewhere; /* when this thread began with the directory */
    struct record *record;     /* NULL: of no storage */
    uint64_t entries, began_ns;
    uint64_t busy_ns; /* of this thread, from the first to the last of so many entries */
} listing;

static void tell(void) {
    if (listing.folder != NULL && listing.record != NULL) {
        uint64_t now_ns = weir_raw_clock_ns();
        listing.busy_ns += listing.entries == TOLD_EACH ? now_ns - listing.began_ns : 0;
        listing.began_ns = now_ns;
        accounts_listed(listing.record, listing.entries, listing.busy_ns);
    }
    listing.entries = 0;
}

__attribute__((visibility("hidden"))) void listings_in_child(void) {
    listing.folder = NULL;
    listing.entries = listing.busy_ns = 0;
}

static void note_folder(DIR *folder) {
    tell();
    listing.closed_elsewhere = atomic_load(&closed_elsewhere);
    listing.record = accounts_record(dirfd(folder), "");
    listing.folder = folder;
    listing.began_ns = weir_raw_clock_ns();
}

static void note_entry(DIR *folder, const char *name, unsigned char type) {
    if (listing.folder != folder || listing.closed_elsewhere != atomic_load(&closed_elsewhere)) {
        note_folder(folder);
    }
    bool is_folder = name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
    listing.entries += type != DT_DIR && !is_folder; /* some file systems tell no types */
    if (listing.entries == TOLD_EACH) {
        tell();
    }
}

static void note_end(const DIR *folder) {
    if (listing.folder == folder) {
        tell();
    }
}

static void note_close(const DIR *folder) {
    note_end(folder);
    if (listing.folder == folder) {
        listing.folder = NULL;
    } else {
        atomic_fetch_add(&closed_elsewhere, 1);
    }
}

#define LISTING(name, entry_of)                                                                              \
    struct entry_of *name(DIR *folder) {                                                                     \
        NEXT(name)                                                                                           \
        struct entry_of *entry = next_##name(folder);                                                        \
        if (accounts_wanted && !accounts_are_inside()) {                                                     \
            int error = errno;                                                                               \
            if (entry != NULL) {                                                                             \
                note_entry(folder, entry->d_name, entry->d_type);                                            \
            } else {                                                                                         \
                note_end(folder);                                                                            \
            }                                                                                                \
            errno = error;                                                                                   \
        }                                                                                                    \
        return entry;                                                                                        \
    }
LISTING(readdir, dirent)
LISTING(readdir64, dirent64)

#define LISTING_CLOSE(name)                                                                                  \
    int name(DIR *folder) {                                                                                  \
        NEXT(name)                                                                                           \
        if (accounts_wanted && !accounts_are_inside()) {                                                     \
            note_close(folder);                                                                              \
        }                                                                                                    \
        return next_##name(folder);                                                                          \
    }
LISTING_CLOSE(closedir)
