/* Merging a word by rank, in each of its states.
 *
 * Short words look for the lowest rank in a row of them; long ones keep the ranks in a heap and the
 * symbols in a linked list, so that n letters cost n log n. */

#ifndef TOKBENCH_SEGMENT_MERGE_H
#define TOKBENCH_SEGMENT_MERGE_H

#include "segment_states.h"

#define SHORT 100 /* symbols up to which looking through all ranks is the faster way */

/* ---- the merges of a vocabulary ---- */

typedef struct {
    Map ranks;          /* by pair, its lowest */
    int32_t *later;     /* by rank, the next of the same pair */
    Py_buffer lefts, rights, products;
    int32_t count;
    int in_order;       /* a rank counts only while all that are done are below it */
    Letters letters;
} Merges;

static inline uint64_t pair_key(int32_t left, int32_t right) {
    return (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
}

/* Give the rank at which a pair waits once `done` is merged, or NONE. */
static inline int32_t rank_of(const Merges *merges, int32_t left, int32_t right, int32_t done) {
    int32_t rank = map_get(&merges->ranks, pair_key(left, right), NONE);
    if (merges->in_order)
        while (rank <= done)
            rank = merges->later[rank];
    return rank;
}

/* Number the ranks from the last, so that each pair ends up with its lowest. */
static int merges_fill(Merges *merges) {
    merges->count = (int32_t)column_length(&merges->lefts);
    if (column_length(&merges->rights) != merges->count ||
        column_length(&merges->products) != merges->count) {
        PyErr_SetString(PyExc_ValueError, "columns of one length are expected");
        return -1;
    }
    merges->later = PyMem_Malloc(sizeof *merges->later * ((size_t)merges->count + 1));
    if (merges->later == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t rank = merges->count - 1; rank >= 0; rank--) {
        int32_t left = (int32_t)cell(&merges->lefts, rank);
        int32_t right = (int32_t)cell(&merges->rights, rank);
        if (left == GONE || right == GONE)
            continue;
        merges->later[rank] = map_get(&merges->ranks, pair_key(left, right), NONE);
        if (map_put(&merges->ranks, pair_key(left, right), rank) < 0)
            return -1;
    }
    return 0;
}

/* Read (lefts, rights, products), where GONE is the part of an item that is no merge. */
static int merges_open(Merges *merges, PyObject *letters, PyObject *items) {
    PyObject *lefts, *rights, *products;
    if (letters_open(&merges->letters, letters) < 0 ||
        !PyArg_ParseTuple(items, "OOO", &lefts, &rights, &products))
        return -1;
    int64_t last = (int64_t)merges->letters.unknown - 1;
    if (map_open(&merges->ranks, 8) < 0 || take_column(lefts, &merges->lefts, GONE, last) < 0 ||
        take_column(rights, &merges->rights, GONE, last) < 0 ||
        take_column(products, &merges->products, 0, last) < 0)
        return -1;
    return merges_fill(merges);
}

static void merges_close(Merges *merges) {
    PyBuffer_Release(&merges->lefts);
    PyBuffer_Release(&merges->rights);
    PyBuffer_Release(&merges->products);
    PyMem_Free(merges->ranks.entries);
    PyMem_Free(merges->later);
    letters_close(&merges->letters);
}

/* ---- short words ---- */

#define STALE (-1) /* a rank to look up */

/* Lay a word out as its symbols. */
static void spell(const Letters *letters, Text word, Cut *cut) {
    Py_ssize_t last = word.length - 1, n = 0;
    int64_t end = 0;
    if (letters->begin != GONE) {
        cut->symbols[n] = letters->begin;
        cut->ends[n++] = 0;
    }
    for (Py_ssize_t i = 0; i < word.length; i++) {
        uint32_t letter = word.letters[i];
        int form = i == 0 ? (last == 0 ? ONLY : FIRST) : i == last ? LAST : INNER;
        end += utf8_width(letter);
        cut->symbols[n] = letter_forms(letters, letter)[form];
        cut->ends[n++] = end;
    }
    if (letters->end != GONE) {
        cut->symbols[n] = letters->end;
        cut->ends[n++] = end;
    }
    cut->length = n;
    cut->since = 0;
}

/* A rank is about to be merged: if it is above all before, a state ends here. */
static inline int before_merging(Run *run, Cut *cut, int32_t rank) {
    return rank >= cut->since ? end_state(run, cut, (int64_t)rank + 1) : 0;
}

/* Give the first place of the lowest rank. */
static inline Py_ssize_t lowest_place(const Cut *cut) {
    int32_t lowest = cut->ranks[0];
    Py_ssize_t place = 0;
    for (Py_ssize_t i = 1; i < cut->length; i++) {
        place = cut->ranks[i] < lowest ? i : place;
        lowest = Py_MIN(lowest, cut->ranks[i]);
    }
    return place;
}

/* Merge all places of a rank from left to right, of which the first is known. */
static void merge_places(const Merges *merges, Cut *cut, int32_t rank, Py_ssize_t first) {
    int32_t product = (int32_t)cell(&merges->products, rank);
    Py_ssize_t to, from;
    for (to = from = first; from < cut->length; to++, from++) {
        if (cut->ranks[from] == rank) {
            cut->symbols[to] = product;
            cut->ends[to] = cut->ends[++from];
            cut->ranks[to] = STALE;
            if (to > 0)
                cut->ranks[to - 1] = STALE;
        } else {
            cut->symbols[to] = cut->symbols[from];
            cut->ends[to] = cut->ends[from];
            cut->ranks[to] = cut->ranks[from];
        }
    }
    cut->length = to;
}

/* Look up the ranks that are stale from a place on: once all its places are merged. */
static void rank_again(const Merges *merges, Cut *cut, Py_ssize_t first, int32_t done) {
    Py_ssize_t last = cut->length - 1;
    for (Py_ssize_t i = first; i < last; i++)
        if (cut->ranks[i] == STALE)
            cut->ranks[i] = rank_of(merges, cut->symbols[i], cut->symbols[i + 1], done);
    cut->ranks[last] = NONE;
}

static int merge_short(Run *run, const Merges *merges, Cut *cut) {
    for (Py_ssize_t i = 0; i < cut->length; i++)
        cut->ranks[i] = STALE;
    rank_again(merges, cut, 0, -1);
    for (;;) {
        Py_ssize_t first = lowest_place(cut);
        int32_t rank = cut->ranks[first];
        if (rank == NONE)
            return end_state(run, cut, (int64_t)merges->count + 1);
        if (before_merging(run, cut, rank) < 0)
            return -1;
        merge_places(merges, cut, rank, first);
        rank_again(merges, cut, Py_MAX(first - 1, 0), rank);
    }
}

/* ---- long words: places beside each other are linked ---- */

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
