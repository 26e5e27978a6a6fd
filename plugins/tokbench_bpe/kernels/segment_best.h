/* The tokens of a word whose scores add up to most, of all ways to cut it (Viterbi). */

#ifndef TOKBENCH_SEGMENT_BEST_H
#define TOKBENCH_SEGMENT_BEST_H

#include "segment_match.h"

/* The best way to a position: its sum, where its last token begins, and that token's symbol. */
typedef struct {
    double sum;
    int32_t start; /* GONE while no way is known */
    int32_t symbol;
} Way;

/* Scores by token, and that of a letter which no token covers alone; the ways through a word. */
typedef struct {
    Py_buffer of_token;
    double unknown;
    int single; /* whether each sum is rounded to single precision */
    Way *ways;
} Scores;

/* Read (scores, unknown, single) for so many tokens; None leaves all empty. */
static int scores_open(Scores *scores, PyObject *given, Py_ssize_t tokens, Py_ssize_t longest) {
    PyObject *of_token;
    if (given == Py_None)
        return 0;
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "scores are a tuple or None");
        return -1;
    }
    if (!PyArg_ParseTuple(given, "Odp", &of_token, &scores->unknown, &scores->single) ||
        PyObject_GetBuffer(of_token, &scores->of_token, PyBUF_SIMPLE) < 0)
        return -1;
    if (scores->of_token.len != tokens * (Py_ssize_t)sizeof(double) ||
        (tokens > 0 && (uintptr_t)scores->of_token.buf % _Alignof(double) != 0)) {
        PyErr_SetString(PyExc_ValueError, "a score of each token is expected");
        return -1;
    }
    scores->ways = PyMem_Malloc(((size_t)longest + 1) * sizeof *scores->ways);
    if (scores->ways == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void scores_close(Scores *scores) {
    PyBuffer_Release(&scores->of_token);
    PyMem_Free(scores->ways);
}

static inline void go_on(const Scores *scores, int32_t start, int32_t stop, int32_t symbol,
                         double score) {
    Way *way = &scores->ways[stop];
    double sum = scores->ways[start].sum + score;
    if (scores->single)
        sum = (float)sum;
    /* Of equal sums the first stays: its last token is the longest. */
    if (way->start == GONE || sum > way->sum)
        *way = (Way){sum, start, symbol};
}

/* Go on from a position, whose best way is known, by each token that begins there. */
static void step_on(const Trie *trie, const Marked *word, const Scores *scores, int32_t start,
                    int64_t learned) {
    int32_t node = start > word->first && start < word->last ? trie->inner_root : 0;
    Match alone = match_nothing(trie, word, start, learned);
    int covered = 0;
    for (int32_t stop = start + 1; stop <= word->size; stop++) {
        node = child(trie, node, word->letters[stop - 1]);
        if (node == GONE)
            break;
        int32_t id = trie->token_at[node];
        if (id == GONE || !is_border(word, stop))
            continue;
        covered |= stop == alone.stop;
        go_on(scores, start, stop, id, ((const double *)scores->of_token.buf)[id]);
    }
    if (!covered)
        go_on(scores, start, alone.stop, alone.symbol, scores->unknown);
}

/* Cut a word with all tokens, which are born by `learned`. */
static int best_word(Run *run, const Trie *trie, const Marked *word, const Scores *scores,
                     Cut *cut, Found *found, int64_t learned) {
    Way *ways = scores->ways;
    found_start(found, word);
    ways[0].sum = 0;
    for (int32_t stop = 1; stop <= word->size; stop++)
        ways[stop].start = GONE;
    for (int32_t start = 0; start < word->size; start++)
        if (is_border(word, start))
            step_on(trie, word, scores, start, learned);
    cut->length = 0;
    for (int32_t stop = word->size; stop > 0; stop = ways[stop].start)
        cut->length++;
    Py_ssize_t place = cut->length;
    for (int32_t stop = word->size; stop > 0; stop = ways[stop].start) {
        cut->symbols[--place] = ways[stop].symbol;
        cut->ends[place] = found->bytes[stop];
    }
    cut->since = run->since;
    return end_state(run, cut, learned + 1);
}

#endif
