/* Writers that are killed, and the one who looks afterwards.
 *
 *   crash --state FILE --path FILE --log PREFIX [--mounted] --writers N --writer I write    until killed
 *   crash --state FILE --path FILE --log PREFIX churn                                       until killed:
 * moves data crash --state FILE --path FILE --log PREFIX [--mounted] --writers N verify
 *
 * Every writer owns each N-th block of one shared file, and a log of its own that it appends to. What it has
 * begun and what it has finished stands in the state file, which is shared memory: after a kill every
 * finished write must be there, and a block whose write was interrupted holds nothing but bytes of the two
 * versions. */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "interfaces.h"
#include "native/session.h"
#include "options.h"

#define BLOCK_BYTES  10000 /* no multiple of a granule: writers meet in granules */
#define BLOCKS       48
#define MAX_WRITERS  8
#define RECORD_BYTES 777

struct writer_state {
    _Atomic uint32_t begun[BLOCKS]; /* version of the write that was begun last */
    _Atomic uint32_t done[BLOCKS];  /* version of the write that returned last */
    _Atomic uint32_t synced[BLOCKS];
    _Atomic uint32_t records_done;
};

struct state {
    struct writer_state writers[MAX_WRITERS];
};

static struct state *state;
static const char *path;
static const char *log_prefix;
static bool mounted;
static unsigned writers = 1;
static uint32_t words[BLOCK_BYTES / 4];

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static uint32_t word_of(unsigned writer, unsigned block, uint32_t version, unsigned index) {
    return version == 0 ? 0 : (uint32_t)(version * 2654435761u + writer * 97u + block * 13u + index);
}

static off_t offset_of(unsigned writer, unsigned block) {
    return (off_t)(block * writers + writer) * BLOCK_BYTES;
}

static void write_block(int fd, unsigned writer, unsigned block) {
    struct writer_state *own = &state->writers[writer];
    uint32_t version = atomic_load(&own->begun[block]) + 1;
    for (unsigned i = 0; i < BLOCK_BYTES / 4; i++) {
        words[i] = word_of(writer, block, version, i);
    }
    atomic_store(&own->begun[block], version);
    if (io_pwrite(mounted, fd, words, BLOCK_BYTES, offset_of(writer, block)) != BLOCK_BYTES) {
        fail("pwrite");
    }
    atomic_store(&own->done[block], version);
    if (rand() % 4 == 0) {
        if (io_fsync(mounted, fd) != 0) {
            fail("fsync");
        }
        atomic_store(&own->synced[block], version);
    }
}

static void append_record(int fd, unsigned writer) {
    struct writer_state *own = &state->writers[writer];
    unsigned char record[RECORD_BYTES];
    uint32_t number = atomic_load(&own->records_done);
    memset(record, 1 + (int)(number % 250), sizeof record);
    if (io_write(mounted, fd, record, sizeof record) != RECORD_BYTES) {
        fail("append");
    }
    atomic_store(&own->records_done, number + 1);
}

static void log_name(unsigned writer, char *name, size_t bytes) {
    snprintf(name, bytes, "%s%u", log_prefix, writer);
}

static _Noreturn void run_writer(unsigned writer) {
    char name[4096];
    log_name(writer, name, sizeof name);
    int fd = io_open(mounted, path, O_RDWR | O_CREAT, 0644);
    int log_fd = io_open(mounted, name, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0 || log_fd < 0) {
        fail("open");
    }
    srand((unsigned)time(NULL) * 31u + (unsigned)getpid());
    for (;;) {
        write_block(fd, writer, (unsigned)rand() % BLOCKS);
        if (rand() % 3 == 0) {
            append_record(log_fd, writer);
        }
    }
}

/* Drains, evicts and fetches at random, as fast as it can. */
static void churn_one(struct store *store, const char *name, void *unused) {
    uint64_t inode;
    uint64_t moved = 0;
    int error = 0;
    (void)unused;
    struct object *object = object_inode(name, &inode) ? object_find(store, inode, &error) : NULL;
    if (object == NULL) {
        return;
    }
    uint64_t low = (uint64_t)rand() % (BLOCKS * BLOCK_BYTES);
    switch (rand() % 4) {
    case 0:
        object_drain(object, (uint64_t)rand() % 300000, &moved);
        break;
    case 1:
        object_drain(object, UINT64_MAX, &moved);
        break;
    case 2:
        object_evict(object, (uint64_t)rand() % 600000, &moved);
        break;
    default:
        object_stage(object, low, low + (uint64_t)rand() % 100000, &moved);
        break;
    }
    object_release(object);
}

static _Noreturn void churn(void) {
    ime_native_init();
    for (;;) {
        objects_each(session_store(), churn_one, NULL);
    }
}

static int check_block(int fd, unsigned writer, unsigned block) {
    const struct writer_state *own = &state->writers[writer];
    uint32_t begun = atomic_load(&own->begun[block]);
    uint32_t done = atomic_load(&own->done[block]);
    memset(words, 0, sizeof words);
    if (io_pread(mounted, fd, words, BLOCK_BYTES, offset_of(writer, block)) < 0) {
        fail("pread");
    }
    for (unsigned i = 0; i < BLOCK_BYTES / 4; i++) {
        if (words[i] != word_of(writer, block, done, i) && words[i] != word_of(writer, block, begun, i)) {
            fprintf(stderr,
                    "writer %u block %u word %u: found %08x, finished version %u is %08x, begun %u is %08x, "
                    "synced %u\n",
                    writer, block, i, words[i], done, word_of(writer, block, done, i), begun,
                    word_of(writer, block, begun, i), atomic_load(&own->synced[block]));
            return 1;
        }
    }
    return 0;
}

/* The version that survived is what the next round starts from. */
static void adopt_block(int fd, unsigned writer, unsigned block) {
    struct writer_state *own = &state->writers[writer];
    if (atomic_load(&own->begun[block]) != atomic_load(&own->done[block])) {
        write_block(fd, writer, block);
    }
}

static int check_log(unsigned writer) {
    char name[4096];
    struct stat status;
    struct writer_state *own = &state->writers[writer];
    uint32_t done = atomic_load(&own->records_done);
    log_name(writer, name, sizeof name);
    int fd = io_open(mounted, name, O_RDWR, 0);
    if (fd < 0) {
        return done == 0 ? 0 : 1;
    }
    if (io_stat(mounted, name, &status) != 0 || status.st_size < (off_t)done * RECORD_BYTES ||
        status.st_size > (off_t)(done + 1) * RECORD_BYTES) {
        fprintf(stderr, "log %u: %lld bytes after %u records\n", writer, (long long)status.st_size, done);
        return 1;
    }
    int wrong = 0;
    for (uint32_t i = 0; i < done && wrong == 0; i++) {
        unsigned char record[RECORD_BYTES];
        ssize_t n = io_pread(mounted, fd, record, sizeof record, (off_t)i * RECORD_BYTES);
        for (unsigned j = 0; j < RECORD_BYTES && wrong == 0; j++) {
            wrong = n != RECORD_BYTES || record[j] != 1 + (int)(i % 250);
        }
        if (wrong != 0) {
            fprintf(stderr, "log %u: record %u of %u is damaged\n", writer, i, done);
        }
    }
    if (wrong == 0 && io_ftruncate(mounted, fd, (off_t)done * RECORD_BYTES) != 0) {
        fail("ftruncate"); /* half a record goes: the next writer appends whole ones */
    }
    io_close(mounted, fd);
    return wrong;
}

static int verify(void) {
    int wrong = 0;
    unsigned long finished = 0;
    int fd = io_open(mounted, path, O_RDWR | O_CREAT, 0644);
    if (fd < 0) {
        fail("open");
    }
    for (unsigned writer = 0; writer < writers; writer++) {
        for (unsigned block = 0; block < BLOCKS; block++) {
            wrong += check_block(fd, writer, block);
            adopt_block(fd, writer, block);
            finished += atomic_load(&state->writers[writer].done[block]);
        }
        wrong += check_log(writer);
    }
    io_close(mounted, fd);
    printf("%lu writes finished so far, %d wrong\n", finished, wrong);
    return wrong == 0 ? 0 : 1;
}

static struct state *map_state(const char *file) {
    int fd = open(file, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct state)) != 0) {
        fail(file);
    }
    void *map = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        fail("mmap");
    }
    return map;
}

int main(int argc, char **argv) {
    const char *state_file = NULL;
    unsigned writer = 0;
    const struct option_of options[] = {{"state", .text = &state_file},
                                        {"path", .text = &path},
                                        {"log", .text = &log_prefix},
                                        {"mounted", .flag = &mounted},
                                        {"writers", .count = &writers},
                                        {"writer", .count = &writer},
                                        {.name = NULL}};
    int at = read_options(argc, argv, options);
    if (state_file == NULL || path == NULL || log_prefix == NULL || writers > MAX_WRITERS || at + 1 != argc) {
        return 2;
    }
    state = map_state(state_file);
    if (strcmp(argv[at], "write") == 0) {
        run_writer(writer);
    }
    if (strcmp(argv[at], "churn") == 0) {
        churn();
    }
    return verify();
}
