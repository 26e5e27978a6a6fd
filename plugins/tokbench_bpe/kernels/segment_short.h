/* Merging a word whose ranks are quickly looked through. */

#ifndef TOKBENCH_SEGMENT_SHORT_H
#define TOKBENCH_SEGMENT_SHORT_H

#include "segment_merges.h"
#include "segment_states.h"

#define STALE (-1) /* a rank to look up */

/* Lay a word out as its symbols. */
static void spell(const Letters *letters, PyObject *word, Cut *cut) {
    int kind = PyUnicode_KIND(word);
    const void *data = PyUnicode_DATA(word);
    Py_ssize_t size = PyUnicode_GET_LENGTH(word), last = size - 1, n = 0;
    int64_t end = 0;
    if (letters->begin != GONE) {
        cut->symbols[n] = letters->begin;
        cut->ends[n++] = 0;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 letter = PyUnicode_READ(kind, data, i);
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

static inline int32_t lowest_rank(const Cut *cut) {
    int32_t lowest = NONE;
    for (Py_ssize_t i = 0; i < cut->length; i++)
        lowest = Py_MIN(lowest, cut->ranks[i]);
    return lowest;
}

/* Merge all places of a rank from left to right; give the first. */
static Py_ssize_t merge_places(const Merges *merges, Cut *cut, int32_t rank) {
    int32_t product = (int32_t)cell(&merges->products, rank);
    Py_ssize_t first = 0, to, from;
    while (cut->ranks[first] != rank)
        first++;
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
    return first;
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
    int32_t rank;
    for (Py_ssize_t i = 0; i < cut->length; i++)
        cut->ranks[i] = STALE;
    rank_again(merges, cut, 0, -1);
    while ((rank = lowest_rank(cut)) != NONE) {
        if (before_merging(run, cut, rank) < 0)
            return -1;
        Py_ssize_t first = merge_places(merges, cut, rank);
        rank_again(merges, cut, Py_MAX(first - 1, 0), rank);
    }
    return end_state(run, cut, (int64_t)merges->count + 1);
}

#endif
