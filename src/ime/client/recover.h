#pragma once

#include "layout/store.h"

/* For objects_each(), after a boot, with the store locked and without clients. */
void recover_object(struct store *store, const char *name, void *unused);
