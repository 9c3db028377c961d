/* Two views of one object, as two clients have them: what one takes, the other must find, at once and before
 * any byte of it was written.
 *
 *   index_pages FILE
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interfaces.h"
#include "native/session.h"
#include "object/object.h"

#define PAGES 8

static struct object *object_of(int fd, const char *name) {
    struct stat status;
    int error;
    if (fd < 0 || ime_native_stat(name, &status) != 0) {
        return NULL;
    }
    return object_find(session_store(), status.st_ino, &error);
}

static bool second_view(struct object *object, struct object *view) {
    char name[24];
    object_name(object->inode, name);
    if (!object_view(object->store, name, PROT_READ | PROT_WRITE, view)) {
        return false;
    }
    pthread_mutex_init(&view->index_mutex, NULL);
    return true;
}

int main(int argc, char **argv) {
    struct object view;
    unsigned unseen = 0;
    unsigned taken_twice = 0;
    if (argc != 2) {
        return 2;
    }
    ime_native_init();
    int fd = ime_native_open(argv[1], O_RDWR | O_CREAT, 0600);
    struct object *object = object_of(fd, argv[1]);
    if (object == NULL || !second_view(object, &view)) {
        return 2;
    }
    for (uint64_t page = 2; page < 2 + PAGES; page++) {
        bool taken = false;
        bool again = false;
        if (index_has(&view, page) || index_take(object, page, &taken) != 0 || !taken) {
            return 2;
        }
        unseen += !index_has(&view, page);
        taken_twice += index_take(&view, page, &again) != 0 || again;
    }
    printf("%d pages, %u unseen by the other client, %u taken twice\n", PAGES, unseen, taken_twice);
    pthread_mutex_destroy(&view.index_mutex);
    object_unview(&view);
    object_release(object);
    ime_native_close(fd);
    ime_native_finalize();
    return unseen + taken_twice != 0;
}
