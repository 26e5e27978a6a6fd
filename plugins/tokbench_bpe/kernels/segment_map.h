/* A hash map from 64-bit keys to 32-bit numbers, by open addressing. */

#ifndef TOKBENCH_SEGMENT_MAP_H
#define TOKBENCH_SEGMENT_MAP_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t key;
    int32_t value;
} Entry;

typedef struct {
    Entry *entries;
    size_t count;
    int bits;
} Map;

#define NO_KEY UINT64_MAX

static int map_open(Map *map, int bits) {
    size_t bytes = sizeof(Entry) << bits;
    map->entries = PyMem_Malloc(bytes);
    if (map->entries == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(map->entries, 0xFF, bytes);
    map->count = 0;
    map->bits = bits;
    return 0;
}

/* Give the entry of a key, or the free one where it belongs. */
static inline Entry *map_entry(const Map *map, uint64_t key) {
    size_t mask = ((size_t)1 << map->bits) - 1;
    size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - map->bits));
    while (map->entries[at].key != key && map->entries[at].key != NO_KEY)
        at = (at + 1) & mask;
    return &map->entries[at];
}

static inline int32_t map_get(const Map *map, uint64_t key, int32_t otherwise) {
    const Entry *entry = map_entry(map, key);
    return entry->key == key ? entry->value : otherwise;
}

static int map_grow(Map *map) {
    Map larger;
    if (map_open(&larger, map->bits + 1) < 0)
        return -1;
    for (size_t at = 0; at < (size_t)1 << map->bits; at++)
        if (map->entries[at].key != NO_KEY)
            *map_entry(&larger, map->entries[at].key) = map->entries[at];
    larger.count = map->count;
    PyMem_Free(map->entries);
    *map = larger;
    return 0;
}

static int map_put(Map *map, uint64_t key, int32_t value) {
    if (map->count >= (size_t)1 << (map->bits - 1) && map_grow(map) < 0)
        return -1;
    Entry *entry = map_entry(map, key);
    map->count += entry->key == NO_KEY;
    entry->key = key;
    entry->value = value;
    return 0;
}

#endif
