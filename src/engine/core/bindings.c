#include "bindings.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define BINDINGS_OBJECTS 1024 /* further ones are not looked at */

#if __ELF_NATIVE_CLASS == 64
#define BINDINGS_SYMBOL(info) ELF64_R_SYM(info)
#else
#define BINDINGS_SYMBOL(info) ELF32_R_SYM(info)
#endif
typedef ElfW(Sym) bindings_symbol;
#define BINDINGS_TYPE(info) (0xf & (info)) /* of a symbol: the same in both classes */

struct object {
    const char *name;
    uintptr_t base;
    const ElfW(Phdr) * segments;
    unsigned segment_count;
    bool system; /* the C library, its parts, the dynamic linker, the kernel's own object */
    const bindings_symbol *symbols;
    const char *strings;
    const uint32_t *hash; /* DT_GNU_HASH */
    uintptr_t slots, relocations, versions;
    size_t slots_bytes, relocations_bytes, entry_bytes, version_count;
};

struct look {
    struct object objects[BINDINGS_OBJECTS];
    unsigned count;
    const struct object *libc, *own;
    uintptr_t debug; /* DT_DEBUG of the program: where the dynamic linker has its lists for debuggers */
    weir_binding_found *found;
    void *context;
    char program[1024];
};

static uint32_t bindings_hash(const char *name) {
    uint32_t hash = 5381;
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++) {
        hash = hash * 33 + *c;
    }
    return hash;
}

/* The function that an object defines by this name. */
static const bindings_symbol *bindings_find(const struct object *object, const char *name) {
    if (object->hash == NULL || object->symbols == NULL || object->strings == NULL) {
        return NULL;
    }
    const uint32_t hash = bindings_hash(name), *head = object->hash;
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(const void *)(head + 4);
    const uint32_t *buckets = (const uint32_t *)(const void *)(bloom + head[2]);
    const uint32_t *chain = buckets + head[0];
    const unsigned bits = sizeof(ElfW(Addr)) * 8;
    ElfW(Addr) word = bloom[(hash / bits) & (head[2] - 1)];
    ElfW(Addr) mask = ((ElfW(Addr))1 << (hash % bits)) | ((ElfW(Addr))1 << ((hash >> head[3]) % bits));
    uint32_t index = head[0] > 0 && (word & mask) == mask ? buckets[hash % head[0]] : 0;
    for (; index >= head[1] && index != 0; index++) {
        uint32_t other = chain[index - head[1]];
        const bindings_symbol *symbol = &object->symbols[index];
        unsigned type = BINDINGS_TYPE(symbol->st_info);
        if ((other | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            (type == STT_FUNC || type == STT_GNU_IFUNC) &&
            strcmp(object->strings + symbol->st_name, name) == 0) {
            return symbol;
        }
        if ((other & 1) != 0) {
            break;
        }
    }
    return NULL;
}

static bool bindings_contains(const struct object *object, uintptr_t address) {
    for (unsigned i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) *segment = &object->segments[i];
        uintptr_t begin = object->base + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= begin && address - begin < segment->p_memsz) {
            return true;
        }
    }
    return false;
}

/* The dynamic linker relocates the addresses of most tables; the kernel's object keeps its own, which may be
 * linked at any address (User Mode Linux). 0: not in the object. */
static uintptr_t bindings_address(const struct object *object, uintptr_t value) {
    if (bindings_contains(object, value)) {
        return value;
    }
    return bindings_contains(object, value + object->base) ? value + object->base : 0;
}

/* The entries of a dynamic section that matter here, and where the object keeps what they tell: an address or
 * a number, which have the same size. */
static const struct {
    long tag;
    size_t at;
    bool is_number;
} bindings_entries[] = {
    {DT_SYMTAB, offsetof(struct object, symbols), false},
    {DT_STRTAB, offsetof(struct object, strings), false},
    {DT_GNU_HASH, offsetof(struct object, hash), false},
    {DT_JMPREL, offsetof(struct object, slots), false},
    {DT_PLTRELSZ, offsetof(struct object, slots_bytes), true},
    {DT_RELA, offsetof(struct object, relocations), false},
    {DT_REL, offsetof(struct object, relocations), false},
    {DT_RELASZ, offsetof(struct object, relocations_bytes), true},
    {DT_RELSZ, offsetof(struct object, relocations_bytes), true},
    {DT_RELAENT, offsetof(struct object, entry_bytes), true},
    {DT_RELENT, offsetof(struct object, entry_bytes), true},
    {DT_VERDEF, offsetof(struct object, versions), false},
    {DT_VERDEFNUM, offsetof(struct object, version_count), true},
};

static void bindings_read_tables(struct object *object, const ElfW(Dyn) * entry,
                                 uintptr_t (*address)(const struct object *object, uintptr_t value)) {
    for (; entry->d_tag != DT_NULL; entry++) {
        for (size_t i = 0; i < sizeof bindings_entries / sizeof *bindings_entries; i++) {
            if (entry->d_tag == bindings_entries[i].tag) {
                uintptr_t value = entry->d_un.d_val;
                value = bindings_entries[i].is_number ? value : address(object, value);
                memcpy((char *)object + bindings_entries[i].at, &value, sizeof value);
            }
        }
    }
}

/* All parts of glibc define a version that only they may use. */
static bool bindings_is_part_of_glibc(const struct object *object) {
    uintptr_t at = object->versions;
    for (size_t i = 0; at != 0 && i < object->version_count && object->strings != NULL; i++) {
        const ElfW(Verdef) *version = (const ElfW(Verdef) *)at;
        const ElfW(Verdaux) *name = (const ElfW(Verdaux) *)(at + version->vd_aux);
        if (strcmp(object->strings + name->vda_name, "GLIBC_PRIVATE") == 0) {
            return true;
        }
        at += version->vd_next;
    }
    return false;
}

static uintptr_t bindings_debug(const ElfW(Dyn) * entry) {
    while (entry->d_tag != DT_NULL && entry->d_tag != DT_DEBUG) {
        entry++;
    }
    return entry->d_tag == DT_DEBUG ? entry->d_un.d_ptr : 0;
}

static int bindings_add(struct dl_phdr_info *info, size_t size, void *context) {
    struct look *look = context;
    (void)size;
    if (look->count == BINDINGS_OBJECTS) {
        return 1;
    }
    struct object *object = &look->objects[look->count++];
    object->name = info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name : look->program;
    object->base = info->dlpi_addr;
    object->segments = info->dlpi_phdr;
    object->segment_count = info->dlpi_phnum;
    for (unsigned i = 0; i < object->segment_count; i++) {
        if (object->segments[i].p_type == PT_DYNAMIC) {
            const ElfW(Dyn) *table = (const ElfW(Dyn) *)(object->base + object->segments[i].p_vaddr);
            bindings_read_tables(object, table, bindings_address);
            look->debug = look->count == 1 ? bindings_debug(table) : look->debug;
        }
    }
    bool linker = object->base != 0 && object->base == getauxval(AT_BASE);
    bool kernel = bindings_contains(object, getauxval(AT_SYSINFO_EHDR));
    object->system = linker || kernel || bindings_is_part_of_glibc(object);
    if (object->system && bindings_find(object, "__libc_start_main") != NULL) {
        look->libc = object;
    }
    return 0;
}

static const struct object *bindings_object_of(const struct look *look, uintptr_t address) {
    for (unsigned i = 0; i < look->count; i++) {
        if (bindings_contains(&look->objects[i], address)) {
            return &look->objects[i];
        }
    }
    return NULL;
}

static void bindings_report(const struct look *look, const char *call, uintptr_t address, bool behind) {
    const struct object *object = bindings_object_of(look, address);
    Dl_info info;
    if (address == 0 || (object != NULL && (object->system || object == look->own))) {
        return;
    }
    /* An audit library has a list of objects of its own. */
    bool other = object == NULL && dladdr((void *)address, &info) != 0 && info.dli_fname != NULL;
    look->found(look->context, call,
                object != NULL ? object->name
                : other        ? info.dli_fname
                               : "unknown",
                behind);
}

/* What the call is bound to, if its slot still leads to the object's own stub, or to the program's. */
static uintptr_t bindings_follow(const struct look *look, const struct object *object, const char *call,
                                 uintptr_t address) {
    const struct object *provider = bindings_object_of(look, address);
    bool stub = provider != NULL && (provider == object || provider == &look->objects[0]) &&
                bindings_find(provider, call) == NULL;
    if (!stub) {
        return address;
    }
    address = (uintptr_t)dlsym(RTLD_DEFAULT, call);
    provider = bindings_object_of(look, address);
    return provider == &look->objects[0] && bindings_find(provider, call) == NULL ? 0 : address;
}

static void bindings_look_at_slot(const struct look *look, const struct object *object, uintptr_t entry) {
    const ElfW(Rel) *slot = (const ElfW(Rel) *)entry; /* with an addend or without */
    const bindings_symbol *symbol = &object->symbols[BINDINGS_SYMBOL(slot->r_info)];
    unsigned type = BINDINGS_TYPE(symbol->st_info);
    const char *call = object->strings + symbol->st_name;
    if (BINDINGS_SYMBOL(slot->r_info) == 0 || (type != STT_FUNC && type != STT_NOTYPE) ||
        bindings_find(look->libc, call) == NULL) {
        return;
    }
    uintptr_t address;
    memcpy(&address, (const void *)(object->base + slot->r_offset), sizeof address);
    bindings_report(look, call, bindings_follow(look, object, call, address), false);
    if (look->own != NULL && bindings_find(look->own, call) != NULL) {
        bindings_report(look, call, (uintptr_t)dlsym(RTLD_NEXT, call), true);
    }
}

static void bindings_look_at_object(const struct look *look, const struct object *object) {
    if (object->system || object == look->own || object->symbols == NULL || object->strings == NULL) {
        return;
    }
    size_t step = object->entry_bytes != 0 ? object->entry_bytes : sizeof(ElfW(Rela));
    for (size_t at = 0; at + step <= object->slots_bytes && object->slots != 0; at += step) {
        bindings_look_at_slot(look, object, object->slots + at);
    }
    for (size_t at = 0; at + step <= object->relocations_bytes && object->relocations != 0; at += step) {
        bindings_look_at_slot(look, object, object->relocations + at);
    }
}

/* Audit libraries are in name spaces of their own, which dl_iterate_phdr does not show: the lists for
 * debuggers have them (glibc 2.35). By DT_DEBUG: a program may have a copy of _r_debug without them. */
struct bindings_space {
    struct r_debug known;
    struct bindings_space *next;
};

/* Tables of an object of another name space have addresses already. */
static uintptr_t bindings_foreign_address(const struct object *object, uintptr_t value) {
    return value < object->base ? value + object->base : value;
}

static uint32_t bindings_symbol_count(const uint32_t *hash) {
    const uint32_t *buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof *hash);
    const uint32_t *chain = buckets + hash[0];
    uint32_t last = 0;
    for (uint32_t i = 0; i < hash[0]; i++) {
        last = buckets[i] > last ? buckets[i] : last;
    }
    while (last >= hash[1] && last != 0 && (chain[last - hash[1]] & 1) == 0) {
        last++;
    }
    return last >= hash[1] && last != 0 ? last + 1 : 0;
}

/* la_x86_64_gnu_pltenter, la_aarch64_gnu_pltexit, ... What la_symbind binds anew is in the tables. */
static bool bindings_is_hook(const char *name) {
    return strncmp(name, "la_", 3) == 0 && strstr(name, "_plte") != NULL;
}

static void bindings_look_at_hooks(const struct look *look, const struct object *object) {
    bool has_tables = object->hash != NULL && object->symbols != NULL && object->strings != NULL;
    uint32_t count = has_tables ? bindings_symbol_count(object->hash) : 0;
    for (uint32_t i = count > 0 ? object->hash[1] : 0; i < count; i++) {
        const char *name = object->strings + object->symbols[i].st_name;
        if (object->symbols[i].st_shndx != SHN_UNDEF && bindings_is_hook(name)) {
            look->found(look->context, name, object->name, false);
        }
    }
}

static void bindings_look_at_auditors(const struct look *look) {
    const struct bindings_space *space = (const struct bindings_space *)look->debug;
    bool is_list = space != NULL && space->known.r_version >= 2;
    while (is_list && (space = space->next) != NULL) {
        for (const struct link_map *map = space->known.r_map; map != NULL; map = map->l_next) {
            struct object object = {.name = map->l_name, .base = map->l_addr};
            if (map->l_ld != NULL) {
                bindings_read_tables(&object, map->l_ld, bindings_foreign_address);
            }
            bindings_look_at_hooks(look, &object);
        }
    }
}

void weir_bindings_look(const void *own, const struct weir_binding *used, unsigned used_count,
                        weir_binding_found *found, void *context) {
    struct look *look = calloc(1, sizeof *look);
    if (look == NULL) {
        return;
    }
    ssize_t length = readlink("/proc/self/exe", look->program, sizeof look->program - 1);
    look->program[length > 0 ? length : 0] = '\0';
    look->found = found;
    look->context = context;
    dl_iterate_phdr(bindings_add, look);
    look->own = own != NULL ? bindings_object_of(look, (uintptr_t)own) : NULL;
    for (unsigned i = 0; i < look->count && look->libc != NULL; i++) {
        bindings_look_at_object(look, &look->objects[i]);
    }
    for (unsigned i = 0; i < used_count; i++) {
        if (look->libc != NULL && bindings_find(look->libc, used[i].call) != NULL) {
            bindings_report(look, used[i].call, (uintptr_t)used[i].address, true);
        }
    }
    bindings_look_at_auditors(look);
    free(look);
}

unsigned weir_bindings_tracer(void) {
    char status[4096];
    unsigned tracer = 0;
    int descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor >= 0 ? read(descriptor, status, sizeof status - 1) : 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    status[length > 0 ? length : 0] = '\0';
    const char *found = strstr(status, "\nTracerPid:");
    return found != NULL && sscanf(found, " TracerPid: %u", &tracer) == 1 ? tracer : 0;
}
