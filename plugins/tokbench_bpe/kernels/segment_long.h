/* Merging a long word: ranks wait in a heap, symbols are linked; n letters cost n log n. */

#ifndef TOKBENCH_SEGMENT_LONG_H
#define TOKBENCH_SEGMENT_LONG_H

#include "segment_short.h"

#define SHORT 100 /* symbols up to which looking through all ranks is the faster way */

typedef struct {
    int32_t *symbols;        /* by place, GONE where a symbol was taken in */
    int64_t *ends;
    int32_t *before, *after; /* the places beside each */
    uint64_t *heap;          /* (rank, place), the smallest first */
    size_t waiting;
    int32_t *changed;        /* the places of the products of one rank */
    int32_t size;
} Links;

static int links_open(Links *links, Py_ssize_t longest) {
    size_t room = (size_t)longest + 2;
    if (longest + 2 <= SHORT)
        return 0;
    links->symbols = PyMem_Malloc(room * sizeof *links->symbols);
    links->ends = PyMem_Malloc(room * sizeof *links->ends);
    links->before = PyMem_Malloc(room * sizeof *links->before);
    links->after = PyMem_Malloc(room * sizeof *links->after);
    links->changed = PyMem_Malloc(room * sizeof *links->changed);
    /* One for each pair, and two more for each of the fewer merges. */
    links->heap = PyMem_Malloc(3 * room * sizeof *links->heap);
    if (links->symbols == NULL || links->ends == NULL || links->before == NULL ||
        links->after == NULL || links->changed == NULL || links->heap == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void links_close(Links *links) {
    PyMem_Free(links->symbols);
    PyMem_Free(links->ends);
    PyMem_Free(links->before);
    PyMem_Free(links->after);
    PyMem_Free(links->changed);
    PyMem_Free(links->heap);
}

static void heap_push(Links *links, uint64_t item) {
    size_t at = links->waiting++;
    while (at > 0 && links->heap[(at - 1) / 2] > item) {
        links->heap[at] = links->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    links->heap[at] = item;
}

static uint64_t heap_pop(Links *links) {
    uint64_t top = links->heap[0], item = links->heap[--links->waiting];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < links->waiting) {
        if (child + 1 < links->waiting && links->heap[child + 1] < links->heap[child])
            child++;
        if (links->heap[child] >= item)
            break;
        links->heap[at] = links->heap[child];
        at = child;
    }
    links->heap[at] = item;
    return top;
}

/* Let the pair at a place wait for its rank. */
static void wait_at(const Merges *merges, Links *links, int32_t place, int32_t done) {
    if (place < 0 || links->symbols[place] == GONE || links->after[place] >= links->size)
        return;
    int32_t right = links->symbols[links->after[place]];
    int32_t rank = rank_of(merges, links->symbols[place], right, done);
    if (rank != NONE)
        heap_push(links, (uint64_t)rank << 32 | (uint32_t)place);
}

static void link_up(const Merges *merges, Links *links, const Cut *cut) {
    links->size = (int32_t)cut->length;
    links->waiting = 0;
    memcpy(links->symbols, cut->symbols, (size_t)cut->length * sizeof *cut->symbols);
    memcpy(links->ends, cut->ends, (size_t)cut->length * sizeof *cut->ends);
    for (int32_t place = 0; place < links->size; place++) {
        links->before[place] = place - 1;
        links->after[place] = place + 1;
    }
    for (int32_t place = 0; place < links->size; place++)
        wait_at(merges, links, place, -1);
}

/* Tell whether the pair of a rank still stands at a place. */
static int stands(const Merges *merges, const Links *links, int32_t place, int32_t rank) {
    return links->symbols[place] == cell(&merges->lefts, rank) &&
           links->after[place] < links->size &&
           links->symbols[links->after[place]] == cell(&merges->rights, rank);
}

static void merge_at(const Merges *merges, Links *links, int32_t place, int32_t rank) {
    int32_t gone = links->after[place], next = links->after[gone];
    links->symbols[place] = (int32_t)cell(&merges->products, rank);
    links->ends[place] = links->ends[gone];
    links->symbols[gone] = GONE;
    links->after[place] = next;
    if (next < links->size)
        links->before[next] = place;
}

/* Bring the symbols that are left back into a row. */
static void line_up(const Links *links, Cut *cut) {
    cut->length = 0;
    for (int32_t place = 0; place < links->size; place = links->after[place]) {
        cut->symbols[cut->length] = links->symbols[place];
        cut->ends[cut->length++] = links->ends[place];
    }
}

static int merge_long(Run *run, const Merges *merges, Links *links, Cut *cut) {
    link_up(merges, links, cut);
    while (links->waiting > 0) {
        int32_t rank = (int32_t)(links->heap[0] >> 32), changes = 0;
        while (links->waiting > 0 && (int32_t)(links->heap[0] >> 32) == rank) {
            int32_t place = (int32_t)(uint32_t)heap_pop(links);
            if (!stands(merges, links, place, rank))
                continue;
            if (changes == 0 && rank >= cut->since && rank >= run->since)
                line_up(links, cut);
            if (changes == 0 && before_merging(run, cut, rank) < 0)
                return -1;
            merge_at(merges, links, place, rank);
            links->changed[changes++] = place;
        }
        for (int32_t i = 0; i < changes; i++) {
            wait_at(merges, links, links->before[links->changed[i]], rank);
            wait_at(merges, links, links->changed[i], rank);
        }
        if (run_worked(run, 1 + changes) < 0)
            return -1;
    }
    line_up(links, cut);
    return end_state(run, cut, (int64_t)merges->count + 1);
}

#endif
