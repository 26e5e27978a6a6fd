/* The merges of a vocabulary, by rank. */

#ifndef TOKBENCH_SEGMENT_MERGES_H
#define TOKBENCH_SEGMENT_MERGES_H

#include "segment_letters.h"

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

#endif
