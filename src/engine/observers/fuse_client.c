#include "fuse_client.h"

#include "closing.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum fuse_answer { FUSE_NO, FUSE_MAYBE, FUSE_YES };

/* Since Linux 6.16 a descriptor of /dev/fuse names the connection: the minor number of the mount. */
static enum fuse_answer fuse_answer_of(const char *pid, const char *descriptor, unsigned minor_number) {
    char path[300], line[128];
    unsigned connection;
    enum fuse_answer answer = FUSE_MAYBE;
    snprintf(path, sizeof path, "/proc/%.20s/fdinfo/%.20s", pid, descriptor);
    WEIR_FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "fuse_connection: %u", &connection) == 1) {
            answer = connection == minor_number ? FUSE_YES : FUSE_NO;
        }
    }
    return answer;
}

/* Before, its arguments do: one of them is the mount point, alone or at the end (moosefs writes a text). */
static bool fuse_names_point(const char *pid, const char *point) {
    char path[64], text[4096];
    size_t length = strlen(point);
    snprintf(path, sizeof path, "/proc/%.20s/cmdline", pid);
    WEIR_FILE *file = fopen(path, "re");
    size_t bytes = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    bool named = false;
    text[bytes] = '\0';
    for (char *at = text; !named && length > 1 && at + length <= text + bytes; at++) {
        bool begins = at == text || at[-1] == '\0' || at[-1] == ' ' || at[-1] == '=';
        bool ends = at[length] == '\0' || at[length] == ' ' || at[length] == ')';
        named = begins && ends && memcmp(at, point, length) == 0;
    }
    return named;
}

/* The next link of a process's descriptors; false after the last one. */
static bool fuse_next_link(DIR *entries, const char *folder, char name[32], char target[64]) {
    char path[400];
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        snprintf(path, sizeof path, "%.64s/%.300s", folder, entry->d_name);
        ssize_t length = readlink(path, target, 63);
        if (length > 0) {
            target[length] = '\0';
            snprintf(name, 32, "%.31s", entry->d_name);
            return true;
        }
    }
    return false;
}

static enum fuse_answer fuse_serves(const char *pid, const struct weir_medium *medium) {
    char folder[64], name[32], target[64];
    enum fuse_answer best = FUSE_NO;
    snprintf(folder, sizeof folder, "/proc/%.20s/fd", pid);
    WEIR_DIR *entries = opendir(folder);
    while (best != FUSE_YES && fuse_next_link(entries, folder, name, target)) {
        if (strcmp(target, "/dev/fuse") == 0) {
            enum fuse_answer one = fuse_answer_of(pid, name, medium->minor_number);
            best = one > best ? one : best;
        }
    }
    return best == FUSE_MAYBE && !fuse_names_point(pid, medium->point) ? FUSE_NO : best;
}

static pid_t fuse_find_client(const struct weir_medium *medium) {
    pid_t found = 0;
    WEIR_DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes != NULL && found == 0 && (entry = readdir(processes)) != NULL;) {
        if (isdigit((unsigned char)entry->d_name[0]) && fuse_serves(entry->d_name, medium) != FUSE_NO) {
            found = (pid_t)atol(entry->d_name);
        }
    }
    return found;
}

/* The search looks at the descriptors of all processes; most phases are on the mount of the one before. */
pid_t weir_fuse_client(const struct weir_medium *medium) {
    static pid_t last;
    char text[24];
    snprintf(text, sizeof text, "%ld", (long)last);
    if (last == 0 || fuse_serves(text, medium) == FUSE_NO) {
        last = fuse_find_client(medium);
    }
    return last;
}

int weir_fuse_sockets(pid_t client, unsigned long inodes[WEIR_FUSE_SOCKETS]) {
    char folder[64], name[32], target[64];
    int count = 0;
    snprintf(folder, sizeof folder, "/proc/%ld/fd", (long)client);
    WEIR_DIR *entries = opendir(folder);
    if (entries == NULL) {
        return -1;
    }
    while (count < WEIR_FUSE_SOCKETS && fuse_next_link(entries, folder, name, target)) {
        count += sscanf(target, "socket:[%lu]", &inodes[count]) == 1;
    }
    return count;
}

/* Messages to the log of the system and to the kernel; the inode is the last or the last but one field. */
static bool fuse_is_in_table(const char *table, const char *type, unsigned long inode) {
    char line[512], kind[16];
    unsigned long found = 0;
    bool is_there = false;
    WEIR_FILE *file = fopen(table, "re");
    while (file != NULL && !is_there && fgets(line, sizeof line, file) != NULL) {
        bool is_unix = sscanf(line, "%*s %*s %*s %*s %15s %*s %lu", kind, &found) == 2 && type != NULL;
        bool is_netlink =
            type == NULL && sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %lu", &found) == 1;
        is_there = found == inode && (is_netlink || (is_unix && strcmp(kind, type) == 0));
    }
    return is_there;
}

static bool fuse_is_silent(unsigned long inode) {
    return fuse_is_in_table("/proc/self/net/unix", "0002", inode) ||
           fuse_is_in_table("/proc/self/net/netlink", NULL, inode);
}

bool weir_fuse_has_peers(const struct weir_medium *medium) {
    char folder[64], name[32], target[64];
    unsigned long inode;
    pid_t client = weir_fuse_client(medium);
    snprintf(folder, sizeof folder, "/proc/%ld/fd", (long)client);
    WEIR_DIR *entries = client != 0 ? opendir(folder) : NULL;
    bool has = entries == NULL;
    while (!has && fuse_next_link(entries, folder, name, target)) {
        has = strncmp(target, "/dev/infiniband/", 16) == 0 ||
              (sscanf(target, "socket:[%lu]", &inode) == 1 && !fuse_is_silent(inode));
    }
    return has;
}
